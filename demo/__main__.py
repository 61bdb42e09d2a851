"""`make run`: starts the parts, sends a review of each published model, shows the answers, and stays up until told."""

import argparse
import signal
import subprocess
import sys
from contextlib import ExitStack
from os.path import relpath
from pathlib import Path
from textwrap import indent
from types import FrameType
from typing import NoReturn

import yaml

from demo.review import review_of, send
from demo.s3 import Model, embedded_s3, store
from demo.webhook import FASTLOAD, DemoError, Running, certificate_flags, environment, running_webhook
from webhook.preview.kubeyaml import dump
from webhook.server.certificates import issue

_PODS = Path(__file__).parent / "pods"
_GIB = 2**30
_MODELS = {
    "qwen3.6-35b-a3b": Model("fastload-demo", "qwen3.6-35b-a3b", 17, 67 * _GIB),
    "llama-4-scout-17b-16e": Model("fastload-demo", "llama-4-scout-17b-16e", 50, 203 * _GIB),
}


def main() -> int:
    """Runs the demo."""
    parser = argparse.ArgumentParser(prog="make run", description="fastload at work on this machine.")
    parser.add_argument("--once", action="store_true", help="end after the reviews instead of staying up")
    parser.add_argument("--folder", type=Path, default=Path("build/demo"), help="where certificate and log go")
    arguments = parser.parse_args()
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, _leave)
    try:
        with ExitStack() as stack:
            webhook = _start(stack, arguments.folder)
            stack.callback(_ignore_signals)
            print(_how_to_try(webhook, arguments.folder), flush=True)
            return 0 if arguments.once else _stay(webhook)
    except (DemoError, OSError) as error:
        print(f"make run: {error}", file=sys.stderr)
        return 1


def _start(stack: ExitStack, folder: Path) -> Running:
    """Starts the parts and shows a review of each model."""
    folder.mkdir(parents=True, exist_ok=True)
    endpoint = stack.enter_context(embedded_s3())
    for model in _MODELS.values():
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
    print(f"admin    {webhook.admin}  (/healthz /readyz /metrics /version)")
    for name, model in _MODELS.items():
        print(f"\n=== {name}: {model.shards} shards, {model.total_bytes // _GIB} GiB ===", flush=True)
        _show_words(_PODS / f"{name}.yaml", endpoint)
        _show_answer(_PODS / f"{name}.yaml", webhook, folder)
    return webhook


def _show_words(manifest: Path, endpoint: str) -> None:
    """Shows the decision in words: the preview takes the same path, with the same S3."""
    command = ["preview", "-f", relpath(manifest), "--s3-endpoint", endpoint]
    print(f"\n$ fastload {' '.join(command)}\n", flush=True)
    subprocess.run([FASTLOAD, *command], env=environment(), check=True)


def _show_answer(manifest: Path, webhook: Running, folder: Path) -> None:
    """Sends the pod's review to the webhook and shows the patch that comes back."""
    review = review_of(yaml.safe_load(manifest.read_text()))
    (folder / f"review-{manifest.stem}.json").write_bytes(review)
    answer = send(webhook.reviews, review, folder / "ca.pem")
    allowed = "allowed" if answer.allowed else "not allowed"
    print(f"\nPOST {webhook.reviews}, TLS verified: {allowed}, {answer.milliseconds:.0f} ms, the patch\n")
    for operation in answer.patch:
        print(f"  {operation['op']} {operation['path']}")
        print(indent(dump(operation["value"]).removesuffix("...\n"), " " * 6), end="", flush=True)


def _how_to_try(webhook: Running, folder: Path) -> str:
    review = relpath(folder / f"review-{next(iter(_MODELS))}.json")
    return f"""
Try it:
  curl --cacert {relpath(folder / "ca.pem")} -H 'Content-Type: application/json' --data @{review} {webhook.reviews}
  curl {webhook.admin}/metrics
"""


def _stay(webhook: Running) -> int:
    """Waits until told to leave."""
    print("Up until Ctrl-C.", flush=True)
    status = webhook.process.wait()
    raise DemoError(f"the webhook ended by itself with status {status}")


def _leave(_signum: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(0)


def _ignore_signals() -> None:
    """Lets what is being ended end in peace."""
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
