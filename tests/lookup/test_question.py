import gc
import weakref

from tests.lookup.make import facts, launch
from webhook.lookup.instances import ask_of
from webhook.lookup.listing import wanted
from webhook.lookup.question import Questions
from webhook.lookup.settings import LookupSettings
from webhook.pod.facts import Placement

SETTINGS = LookupSettings()


def test_a_question_is_what_the_pod_and_the_settings_say() -> None:
    pod = facts(launch("s3://models/qwen"), placement=Placement(gpus=8))
    question = Questions(SETTINGS).of(pod)
    assert (question.shards, question.ask) == (wanted(pod, SETTINGS), ask_of(pod))


def test_asks_are_told_apart_by_their_keys() -> None:
    questions = Questions(SETTINGS)
    one, same, other = (questions.of(facts(placement=Placement(gpus=gpus))).ask_key for gpus in (8, 8, 4))
    assert one == same != other


def test_facts_that_come_again_are_asked_about_once() -> None:
    questions, pod = Questions(SETTINGS), facts()
    assert questions.of(pod) is questions.of(pod)
    assert questions.of(facts()) is not questions.of(pod)


def test_a_question_goes_with_its_facts() -> None:
    questions, often = Questions(SETTINGS), facts()
    first = questions.of(often)
    for _ in range(100):
        questions.of(facts())
    gc.collect()
    assert len(questions) == 1
    assert questions.of(often) is first


def test_questions_keep_no_pod() -> None:
    questions, pod = Questions(SETTINGS), facts()
    kept = questions.of(pod)
    gone = weakref.ref(pod)
    del pod
    gc.collect()
    assert gone() is None
    assert kept.shards is not None
