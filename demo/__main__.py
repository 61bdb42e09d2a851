"""`make run`: starts the parts, sends a review of each published model, shows the answers, and stays up until told.

The first model is shown whole, the second by what differs.
"""

import argparse
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from os.path import relpath
from pathlib import Path
from types import FrameType
from typing import NoReturn

import yaml

from demo.review import Answer, review_of, send, show
from demo.s3 import Model, embedded_s3, store
from demo.webhook import FASTLOAD, DemoError, Running, certificate_flags, environment, running_webhook
from webhook.server.certificates import issue

_PODS = Path(__file__).parent / "pods"
_GIB = 2**30
_FIRST = Model("fastload-demo", "qwen3.6-35b-a3b", 17, 67 * _GIB)
_SECOND = Model("fastload-demo", "llama-4-scout-17b-16e", 50, 203 * _GIB)
# What a terminal, a shell and a supervisor send to end a program.
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> int:
    """Runs the demo."""
    parser = argparse.ArgumentParser(prog="make run", description="fastload at work on this machine.")
    parser.add_argument("--once", action="store_true", help="end after the reviews instead of staying up")
    parser.add_argument("--folder", type=Path, default=Path("build/demo"), help="where certificate and log go")
    arguments = parser.parse_args()
    for signum in _ENDING:
        signal.signal(signum, _leave)
    try:
        with ExitStack() as stack:
            webhook = _start(stack, arguments.folder)
            stack.callback(_ignore_signals)
            print(_how_to_try(webhook, arguments.folder), flush=True)
            return 0 if arguments.once else _stay(webhook)
    except KeyboardInterrupt:
        # The terminal may be what has gone.
        with suppress(OSError):
            print("Stopped.", flush=True)
        return 0
    except (DemoError, OSError) as error:
        print(f"make run: {error}", file=sys.stderr)
        return 1


def _start(stack: ExitStack, folder: Path) -> Running:
    """Starts the parts and shows a review of each model."""
    folder.mkdir(parents=True, exist_ok=True)
    endpoint = stack.enter_context(embedded_s3())
    for model in (_FIRST, _SECOND):
        store(endpoint, model)
    flags = {
        **certificate_flags(issue(["localhost", "127.0.0.1"], folder)),
        "--s3-endpoint": endpoint,
        # There is no Service here that would have to forget it.
        "--drain-seconds": "0",
    }
    webhook = stack.enter_context(running_webhook(flags, folder / "webhook.log"))
    print(f"S3       {endpoint}  (two published models, their sizes declared)")
    print(f"webhook  {webhook.reviews}")
    print(f"page     {webhook.admin}/  (a preview in the browser)")
    print(f"admin    {webhook.admin}  (/preview /healthz /readyz /metrics /version)")
    _show_models(webhook, endpoint, folder)
    return webhook


def _show_models(webhook: Running, endpoint: str, folder: Path) -> None:
    _head(_FIRST)
    print("Both pods say fastload.dev/streamer-version: 0.15.9. The chunk size stays as it is in every version:")
    print("a larger one makes fewer requests at once, not larger ones.")
    _show_words(_manifest(_FIRST), endpoint)
    show(_ask(_manifest(_FIRST), webhook, folder).patch)
    _head(_SECOND)
    _show_plan(_ask(_manifest(_SECOND), webhook, folder))


def _head(model: Model) -> None:
    print(f"\n=== {model.prefix}: {model.shards} shards, {model.total_bytes // _GIB} GiB ===\n", flush=True)


def _manifest(model: Model) -> Path:
    return _PODS / f"{model.prefix}.yaml"


def _show_words(manifest: Path, endpoint: str) -> None:
    """Shows the decision in words: the preview takes the same path, with the same S3."""
    command = ["preview", "-f", relpath(manifest), "--s3-endpoint", endpoint]
    print(f"\n$ fastload {' '.join(command)}\n", flush=True)
    subprocess.run([FASTLOAD, *command], env=environment(), check=True)
    print(flush=True)


def _ask(manifest: Path, webhook: Running, folder: Path) -> Answer:
    """Sends the pod's review to the webhook, and keeps the review in the folder."""
    review = review_of(yaml.safe_load(manifest.read_text()))
    (folder / f"review-{manifest.stem}.json").write_bytes(review)
    answer = send(webhook.reviews, review, folder / "ca.pem")
    allowed = "allowed" if answer.allowed else "not allowed"
    print(f"POST {webhook.reviews}, TLS verified: {allowed}, {answer.milliseconds:.0f} ms\n", flush=True)
    return answer


def _show_plan(answer: Answer) -> None:
    """Shows what the model alone decides: the values and their reasons, and the folder of its compile cache."""
    for name, (value, reason) in answer.plan["values"].items():
        print(f"  {name}={value}  ({reason})")
    print(f"  compile cache in {answer.plan['cache']}", flush=True)


def _how_to_try(webhook: Running, folder: Path) -> str:
    manifest = relpath(_manifest(_FIRST))
    authority, review = relpath(folder / "ca.pem"), relpath(folder / f"review-{_FIRST.prefix}.json")
    return f"""
Try it:
  # the first review again, and the patch that comes back
  curl -s --cacert {authority} -H 'Content-Type: application/json' --data @{review} {webhook.reviews} \\
    | {relpath(sys.executable)} -m demo.review
  # a manifest of yours; this needs neither a review nor the webhook
  {relpath(FASTLOAD)} preview -f YOURS.yaml --offline --shards 17 --model-size 67Gi
  # the same over HTTP, for programs; {webhook.admin}/ is for a browser
  curl -s -H 'Content-Type: application/yaml' --data-binary @{manifest} {webhook.admin}/preview
  curl {webhook.admin}/metrics
"""


def _stay(webhook: Running) -> int:
    """Waits until told to leave."""
    print("Up until Ctrl-C.", flush=True)
    status = webhook.process.wait()
    raise DemoError(f"the webhook ended by itself with status {status}")


def _leave(_signum: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _ignore_signals() -> None:
    """Lets what is being ended end in peace."""
    for signum in _ENDING:
        signal.signal(signum, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
