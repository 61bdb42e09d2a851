"""An S3 on this machine that lists models of any size.

It is moto's server, with one liberty: a shard holds a few real bytes and *declares* its size, because fastload only
lists a model and never reads one. Whoever downloads such a shard gets the few bytes.
"""

import logging
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import boto3
import msgspec
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.moto_server.threaded_moto_server import ThreadedMotoServer
from moto.s3.models import s3_backends

REGION: Final = "us-west-2"
# moto takes any.
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "demo", "AWS_SECRET_ACCESS_KEY": "demo"}
# A safetensors file without tensors: the length of its JSON header, and the header.
_EMPTY_SHARD = struct.pack("<Q", 2) + b"{}"


class Model(msgspec.Struct, frozen=True):
    """A model as a bucket holds it: its prefix, and shard files of a declared size in bytes altogether."""

    bucket: str
    prefix: str
    shards: int
    total_bytes: int

    def shard_sizes(self) -> dict[str, int]:
        """Returns the declared size of each shard by key; they differ by a few bytes at most."""
        share, rest = divmod(self.total_bytes, self.shards)
        return {
            f"{self.prefix}/model-{number:05}-of-{self.shards:05}.safetensors": share + (1 if number <= rest else 0)
            for number in range(1, self.shards + 1)
        }


@contextmanager
def embedded_s3() -> Iterator[str]:
    """Runs the server on a free port of the loopback address and yields its endpoint URL."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def store(endpoint: str, model: Model) -> None:
    """Stores a model, in a bucket of its own if that is not there yet."""
    client = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
    )
    buckets = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets
    if model.bucket not in buckets:
        client.create_bucket(Bucket=model.bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
    client.put_object(Bucket=model.bucket, Key=f"{model.prefix}/config.json", Body=b"{}")
    for key, declared in model.shard_sizes().items():
        client.put_object(Bucket=model.bucket, Key=key, Body=_EMPTY_SHARD)
        buckets[model.bucket].keys[key].contentsize = declared
