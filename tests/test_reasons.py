"""Every word has its own sentence, which reads well after it."""

from string import Formatter

import pytest

from webhook.reasons import Advice, Code, advise, because, sentence


@pytest.mark.parametrize("word", [*Code, *Advice])
def test_a_word_has_a_sentence_that_does_not_repeat_it(word: Code | Advice) -> None:
    text = sentence(word)
    assert not text.lower().startswith((f"{word}:", word.replace("-", " ") + ":"))
    assert not text.endswith(".")


@pytest.mark.parametrize("word", [*Code, *Advice])
def test_a_sentence_takes_the_values_that_it_names(word: Code | Advice) -> None:
    declared = sentence(word).replace('{"distributed": true}', "")
    names = {name for _, name, _, _ in Formatter().parse(declared) if name}
    values = {name: f"<{name}>" for name in names}
    text = (because(word, **values) if isinstance(word, Code) else advise(word, **values)).text
    assert all(value in text for value in values.values())
