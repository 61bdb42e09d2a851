from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from demo.s3 import Model
from tests.e2e.namespace import Namespace
from tests.e2e.pods import STATUS, annotation, engine_pod, env
from tests.e2e.s3 import S3
from tests.e2e.webhook_process import Webhook

PODS = 200


def test_a_burst_of_pods_of_a_new_model_is_tuned_with_one_listing(
    webhook: Webhook, s3: S3, namespace: Namespace, model: Model
) -> None:
    before = webhook.reviews()

    with ThreadPoolExecutor(PODS) as threads:
        pods = list(threads.map(lambda n: namespace.create_pod(engine_pod(model, f"qwen-{n}")), range(PODS)))

    assert Counter(annotation(pod, STATUS) for pod in pods) == {"injected": PODS}
    assert {env(pod)["RUNAI_STREAMER_CONCURRENCY"] for pod in pods} == {"17"}
    assert webhook.reviews() - before == {"injected": PODS}
    assert s3.listings(model) == 1
