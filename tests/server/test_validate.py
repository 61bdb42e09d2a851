"""Reviews of workloads by the real command: warnings, what they warm, and what is counted and logged of them."""

import json
from pathlib import Path
from typing import Any

import httpx

from tests.serving import PATIENCE_SECONDS, Serve, env_of, review
from tests.workloads import review_of, workload


def deployment_review() -> dict[str, Any]:
    """The review of a Deployment of the published pod."""
    template = review()["request"]["object"]
    return review_of(workload("Deployment", {key: template[key] for key in ("metadata", "spec")}))


def test_a_deployment_is_told_and_its_pods_find_the_listing_in_memory(
    serve: Serve, s3: str, client: httpx.Client, tmp_path: Path
) -> None:
    running = serve(s3_endpoint=s3)
    told = client.post(running.reviews.replace("/mutate", "/validate"), json=deployment_review()).json()["response"]
    pod = env_of(client.post(running.reviews, json=review()))
    metrics = httpx.get(f"{running.admin}/metrics").text
    running.process.terminate()
    running.process.wait(PATIENCE_SECONDS)

    (warning,) = told["warnings"]
    assert told["allowed"]
    assert "patch" not in told
    assert f"RUNAI_STREAMER_CONCURRENCY={pod['RUNAI_STREAMER_CONCURRENCY']}," in warning
    assert 'fastload_lookup_seconds_count{lookup="model",outcome="found"} 1.0' in metrics
    assert 'fastload_lookup_cache_total{lookup="model",result="hit"} 1.0' in metrics
    # Each webhook's reviews are counted by themselves.
    assert 'fastload_workload_reviews_total{outcome="injected"} 1.0' in metrics
    assert 'fastload_reviews_total{outcome="injected"} 1.0' in metrics
    assert "fastload_review_seconds_count 1.0" in metrics
    log = (tmp_path / "webhook.log").read_text()
    lines = [line for line in map(json.loads, log.splitlines()) if "workload" in line]
    assert [(line["workload"], line["namespace"], line["outcome"]) for line in lines] == [
        ("Deployment/qwen", "serving", "injected")
    ]
    assert "hf_do_not_log_me" not in log + json.dumps(told)


def test_what_is_no_review_is_refused_with_the_reason(serve: Serve, s3: str, client: httpx.Client) -> None:
    running = serve(s3_endpoint=s3)
    validate = running.reviews.replace("/mutate", "/validate")
    refused = client.post(validate, content=b"{}", headers={"content-type": "application/json"})
    assert (refused.status_code, client.get(validate).status_code) == (400, 405)
    assert "the review cannot be read" in refused.text
    assert client.get(running.reviews.replace("/mutate", "/other")).text == (
        "nothing here; reviews go to /mutate or /validate\n"
    )
    metrics = httpx.get(f"{running.admin}/metrics").text
    assert 'fastload_workload_reviews_total{outcome="refused"} 2.0' in metrics
    assert 'fastload_reviews_total{outcome="refused"} 0.0' in metrics
