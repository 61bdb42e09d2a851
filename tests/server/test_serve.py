"""The real command: reviews over TLS, health, metrics, renewal, drain, and an S3 that hangs."""

import json
import re
import signal
import socket
import subprocess
import threading
from pathlib import Path

import httpx
import pytest

from demo.webhook import FASTLOAD, Running
from tests.serving import PATIENCE_SECONDS, Serve, env_of, eventually, held_up, ready, review, tls
from webhook.server.certificates import Files, issue


def test_a_review_over_tls_gets_what_s3_and_the_pod_call_for(serve: Serve, s3: str, client: httpx.Client) -> None:
    running = serve(s3_endpoint=s3)
    env = env_of(client.post(running.reviews, json=review()))
    assert env["RUNAI_STREAMER_CONCURRENCY"] == "17"
    assert env["RUNAI_STREAMER_S3_REQUEST_TIMEOUT_MS"] == "3000"
    assert "HF_TOKEN" not in env


def test_the_ports_answer_health_version_and_nothing_else(serve: Serve, s3: str, client: httpx.Client) -> None:
    running = serve(s3_endpoint=s3)
    eventually(ready(running))
    reviews = running.reviews.removesuffix("/mutate")
    assert client.get(f"{reviews}/healthz").text == "ok\n"
    assert client.get(f"{reviews}/metrics").status_code == 404
    assert client.get(running.reviews).status_code == 405
    assert httpx.get(f"{running.admin}/healthz").text == "ok\n"
    assert httpx.get(f"{running.admin}/version").json().keys() == {"version"}
    assert httpx.get(f"{running.admin}/mutate").status_code == 404


def test_metrics_count_what_was_answered_and_looked_up(serve: Serve, s3: str, client: httpx.Client) -> None:
    running = serve(s3_endpoint=s3)
    for _ in range(2):
        client.post(running.reviews, json=review())
    client.post(running.reviews, content=b"not a review", headers={"content-type": "application/json"})
    metrics = httpx.get(f"{running.admin}/metrics").text
    assert 'fastload_reviews_total{outcome="injected"} 2.0' in metrics
    assert 'fastload_reviews_total{outcome="refused"} 1.0' in metrics
    assert 'fastload_reasons_total{reason="cache-host-path"} 2.0' in metrics
    assert "fastload_review_seconds_count 3.0" in metrics
    assert 'fastload_lookup_seconds_count{lookup="model",outcome="found"} 1.0' in metrics
    assert 'fastload_lookup_cache_total{lookup="model",result="hit"} 1.0' in metrics
    assert re.search(r"^fastload_certificate_expiry_timestamp_seconds 1\.", metrics, re.MULTILINE)
    assert re.search(r'^fastload_build_info\{python=".*",version=".*"\} 1\.0$', metrics, re.MULTILINE)


def test_the_log_has_one_line_a_review_and_no_value_of_the_pods(
    serve: Serve, s3: str, client: httpx.Client, tmp_path: Path
) -> None:
    running, sent = serve(s3_endpoint=s3), review()
    client.post(running.reviews, json=sent)
    running.process.terminate()
    running.process.wait(PATIENCE_SECONDS)
    log = (tmp_path / "webhook.log").read_text()
    lines = [line for line in map(json.loads, log.splitlines()) if line.get("uid") == sent["request"]["uid"]]
    assert [(line["namespace"], line["outcome"], line["level"]) for line in lines] == [
        ("inference", "injected", "info")
    ]
    assert "hf_do_not_log_me" not in log


def test_a_renewed_certificate_serves_the_next_connection_and_spares_the_open_one(
    serve: Serve, s3: str, client: httpx.Client, certificate: Files
) -> None:
    running = serve(s3_endpoint=s3, tls_reload_seconds="0.1")
    assert client.post(running.reviews, json=review()).status_code == 200
    before = expiry(running)
    issue(["localhost", "127.0.0.1"], certificate.authority.parent, days=30)
    eventually(lambda: expiry(running) < before)
    with httpx.Client(verify=tls(certificate.authority)) as renewed:
        assert renewed.post(running.reviews, json=review()).status_code == 200
    # The first client trusts the old authority alone: it can only go on over the connection that it has.
    assert client.post(running.reviews, json=review()).status_code == 200


def test_a_client_that_does_not_trust_the_certificate_is_counted(
    serve: Serve, s3: str, client: httpx.Client, tmp_path: Path
) -> None:
    running = serve(s3_endpoint=s3)
    client.post(running.reviews, json=review())
    other = issue(["localhost", "127.0.0.1"], tmp_path / "other")
    with httpx.Client(verify=tls(other.authority)) as mistrustful, pytest.raises(httpx.ConnectError):
        mistrustful.post(running.reviews, json=review())
    metrics = httpx.get(f"{running.admin}/metrics").text
    assert 'fastload_tls_handshakes_total{stage="begun"} 2.0' in metrics
    assert 'fastload_tls_handshakes_total{stage="completed"} 1.0' in metrics


def expiry(running: Running) -> float:
    metrics = httpx.get(f"{running.admin}/metrics").text
    found = re.search(r"^fastload_certificate_expiry_timestamp_seconds (.+)$", metrics, re.MULTILINE)
    assert found
    return float(found[1])


def test_sigterm_ends_readiness_first_and_reviews_last(serve: Serve, s3: str, client: httpx.Client) -> None:
    running = serve(s3_endpoint=s3, drain_seconds="60")
    eventually(ready(running))
    running.process.send_signal(signal.SIGTERM)
    eventually(lambda: not ready(running)())
    assert httpx.get(f"{running.admin}/readyz").text == "not ready: shutting down\n"
    reply = client.post(running.reviews, json=review())
    assert env_of(reply)["RUNAI_STREAMER_CONCURRENCY"] == "17"
    assert reply.headers["connection"] == "close"
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(PATIENCE_SECONDS) == 0


def test_sigint_does_not_wait_for_a_service_to_forget_it(serve: Serve, s3: str) -> None:
    running = serve(s3_endpoint=s3, drain_seconds="60")
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(PATIENCE_SECONDS) == 0


def test_an_s3_that_hangs_costs_the_pod_its_concurrency_only_and_the_next_pod_nothing(
    serve: Serve, s3: str, client: httpx.Client
) -> None:
    with held_up(s3) as (slow, released):
        running = serve(s3_endpoint=slow, deadline_seconds="0.3", failure_seconds="0.1")
        first = client.post(running.reviews, json=review())
        assert first.json()["response"]["auditAnnotations"]["status"] == "partial"
        assert "lookup-slow" in first.json()["response"]["auditAnnotations"]["reasons"]
        assert "RUNAI_STREAMER_CONCURRENCY" not in env_of(first)
        assert "VLLM_CACHE_ROOT" in env_of(first)
        released.set()
        eventually(
            lambda: env_of(client.post(running.reviews, json=review())).get("RUNAI_STREAMER_CONCURRENCY") == "17"
        )


def test_a_review_in_flight_is_answered_before_the_process_ends(serve: Serve, s3: str, client: httpx.Client) -> None:
    with held_up(s3) as (slow, _released):
        running = serve(s3_endpoint=slow, deadline_seconds="2")
        replies: list[httpx.Response] = []
        sending = threading.Thread(target=lambda: replies.append(client.post(running.reviews, json=review())))
        sending.start()
        eventually(lambda: 'result="miss"} 1.0' in httpx.get(f"{running.admin}/metrics").text)
        running.process.send_signal(signal.SIGTERM)
        sending.join()
        assert running.process.wait(PATIENCE_SECONDS) == 0
    assert "VLLM_CACHE_ROOT" in env_of(replies[0])


def run_serve(**flags: str) -> "subprocess.CompletedProcess[str]":
    named = [word for name, value in flags.items() for word in ("--" + name.replace("_", "-"), value)]
    return subprocess.run([FASTLOAD, "serve", *named], capture_output=True, text=True, timeout=60, check=False)


def test_a_port_that_is_taken_is_named_with_the_flag_that_changes_it(certificate: Files) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = run_serve(
            host="127.0.0.1",
            review_port=port,
            tls_certificate=str(certificate.certificate),
            tls_key=str(certificate.key),
        )
    assert ended.returncode == 2
    assert (
        f"cannot listen on 127.0.0.1 port {port}: Address already in use; see --review-port and --host" in ended.stderr
    )


def test_a_certificate_that_is_missing_is_named() -> None:
    ended = run_serve(tls_certificate="/nowhere/tls.crt")
    assert ended.returncode == 2
    assert "cannot serve TLS with certificate /nowhere/tls.crt" in ended.stderr


def test_a_misspelt_setting_is_logged(certificate: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTLOAD_CACHE_ROOT", "/mnt/fast")
    monkeypatch.setenv("KUBECONFIG", "/nowhere/kubeconfig")
    # It ends at once, behind the warning.
    ended = run_serve(
        review_port="0",
        admin_port="0",
        kubernetes="on",
        tls_certificate=str(certificate.certificate),
        tls_key=str(certificate.key),
    )
    assert '"level":"warning"' in ended.stderr.splitlines()[0]
    assert "FASTLOAD_CACHE_ROOT is ignored" in ended.stderr


def test_a_cluster_that_was_asked_for_and_is_not_there_is_an_error(
    certificate: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere/kubeconfig")
    ended = run_serve(
        review_port="0",
        admin_port="0",
        kubernetes="on",
        tls_certificate=str(certificate.certificate),
        tls_key=str(certificate.key),
    )
    assert ended.returncode == 2
    assert "--kubernetes is on" in ended.stderr


def test_a_cluster_that_does_not_answer_delays_readiness_and_no_longer_than_set(
    serve: Serve, s3: str, client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held_up(s3) as (silent, _released):
        cluster = {"name": "c", "cluster": {"server": silent}}
        context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
        user = {"name": "u", "user": {"token": "t"}}
        config = {"clusters": [cluster], "contexts": [context], "users": [user], "current-context": "c"}
        (tmp_path / "kubeconfig").write_text(json.dumps(config))
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
        running = serve(s3_endpoint=s3, kubernetes="on", ready_seconds="1", deadline_seconds="0.5")
        assert httpx.get(f"{running.admin}/readyz").text == "not ready: the caches are still filling\n"
        eventually(ready(running))
        assert "no answer within 1 s" in (tmp_path / "webhook.log").read_text()
        env = env_of(client.post(running.reviews, json=review()))
        assert env["RUNAI_STREAMER_CONCURRENCY"] == "17"
