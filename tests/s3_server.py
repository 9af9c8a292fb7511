"""A server that speaks S3's protocol over HTTP, in a separate process."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config

from tests.waiting import answers, wait_until

KEYS = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "tests"}


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class S3Server:
    """An S3 server that starts empty and loses its data when it stops."""

    def __init__(self, folder: Path, port: int | None = None) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"s3-{self.port}.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
                stdout=log,
                stderr=log,
                env={name: value for name, value in os.environ.items() if not name.startswith("PYTHONWARN")},
            )
        self._wait()
        self.client: Any = boto3.client(
            "s3",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id="tests",
            aws_secret_access_key="tests",
            config=Config(s3={"addressing_style": "path"}),
        )

    def _wait(self) -> None:
        wait_until(lambda: self.process.poll() is not None or answers(f"{self.url}/moto-api/"))
        assert self.process.poll() is None, self.log.read_text()

    def make(self, bucket: str) -> str:
        """Create an empty bucket."""
        self.client.create_bucket(Bucket=bucket)
        return bucket

    def keys(self, bucket: str) -> list[str]:
        """Return the keys in the bucket."""
        return [row["Key"] for row in self.client.list_objects_v2(Bucket=bucket).get("Contents", [])]

    def requests(self) -> list[str]:
        """Return method and path of every request so far, from the server's log."""
        lines = re.sub("\x1b\\[[0-9;]*m", "", self.log.read_text()).splitlines()
        return [line.split('"')[1].rpartition(" ")[0] for line in lines if '"' in line and " HTTP/1" in line]

    def close(self) -> None:
        """End the process."""
        self.client.close()
        self.process.terminate()
        self.process.wait(30)


def stored_on(settings: Any, url: str, bucket: str, prefix: str = "") -> None:
    """Store runs on this server from now on."""
    runs = {
        "BACKEND": "pooling.storage.bucket.Bucket",
        "OPTIONS": {
            "bucket_name": bucket,
            "location": prefix,
            "endpoint_url": url,
            "region_name": "us-east-1",
        },
    }
    settings.STORAGES = {**settings.STORAGES, "runs": runs}
