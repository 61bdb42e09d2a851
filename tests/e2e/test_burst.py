from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from tests.e2e.namespace import Namespace
from tests.e2e.pods import STATUS, annotation, engine_pod, env
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook

PODS = 1_000
MODELS = 4
# As many as the client has connections: where its threads wait for one, an answer is lost now and then.
AT_ONCE = 100


def test_a_burst_of_pods_of_new_models_is_tuned_with_one_listing_of_each(
    webhook: Webhook, s3: S3, namespace: Namespace
) -> None:
    models = [s3.published_model() for _ in range(MODELS)]
    wanted = [engine_pod(models[number % MODELS], f"qwen-{number}") for number in range(PODS)]
    before = webhook.reviews()

    with ThreadPoolExecutor(AT_ONCE) as threads:
        pods = list(threads.map(namespace.create_pod, wanted))

    # That all are injected, and none is partial, shows that no look-up was late.
    assert Counter(annotation(pod, STATUS) for pod in pods) == {"injected": PODS}
    assert {env(pod)["RUNAI_STREAMER_CONCURRENCY"] for pod in pods} == {"17"}
    assert webhook.reviews() - before == {"injected": PODS}
    assert [s3.listings(model) for model in models] == [1] * MODELS
