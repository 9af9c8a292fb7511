"""The storage for runs on S3, or on another server that speaks its protocol (docs/operations.md, "Runs on S3").

Rankings are named after their content and never change, so a copy is never out of date.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError as NoConnection,
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
    PartialCredentialsError,
)
from storages.backends.s3 import S3Storage

from config.errors import Refusal
from pooling.errors import BucketAway, BucketRefused

SECONDS = 30
"""Time limit for a response, in seconds; the limit for connecting is a tenth of it, but at least one second."""
ATTEMPTS = 3
CHUNK = 1 << 20
PROOF = ".ready"
_GONE = {"NoSuchKey", "404", "NotFound"}
_BUSY = {"SlowDown", "RequestTimeout", "Throttling", "ThrottlingException", "TooManyRequests"}
_REGION = {"PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "301"}
_KEYS = "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"


class Bucket(S3Storage):
    """django-storages' S3 storage, with one client for all threads. Its errors name the setting to check."""

    def __init__(self, *, seconds: float = SECONDS, attempts: int = ATTEMPTS, **options: Any) -> None:
        self.options = options
        endpoint = options.get("endpoint_url")
        # Servers other than Amazon's often lack host names per bucket and newer checksums.
        others: dict[str, Any] = {
            "s3": {"addressing_style": "path"},
            "request_checksum_calculation": "when_required",
            "response_checksum_validation": "when_required",
        }
        config = Config(
            signature_version="s3v4",
            connect_timeout=max(seconds / 10, 1),
            read_timeout=seconds,
            retries={"total_max_attempts": attempts, "mode": "standard"},
            max_pool_connections=32,
            **(others if endpoint else {}),
        )
        super().__init__(**options, client_config=config, file_overwrite=True)
        self.where = f"The S3 server ({endpoint or 'Amazon'})"
        self._proved = False

    @cached_property
    def client(self) -> Any:
        """The boto3 client. Creating it takes about 0.1 s, and threads can share it."""
        return self.connection.meta.client

    def has(self, name: str) -> bool:
        with self._answering():
            try:
                self.client.head_object(Bucket=self.bucket_name, Key=self._normalize_name(name))
            except ClientError as error:
                if _error_code(error) in _GONE:
                    return False
                raise
        return True

    def put(self, name: str, path: Path) -> None:
        """Store a local file, unless a file of this name is already stored.

        The stored file then has the same content.
        """
        if self.has(name):
            return
        with self._answering(), path.open("rb") as file:
            self.client.upload_fileobj(file, self.bucket_name, self._normalize_name(name))

    def fetch(self, name: str, into: IO[bytes]) -> bool:
        """Write the file's bytes to ``into``; return False if there is no such file."""
        with self._answering():
            try:
                key = self._normalize_name(name)
                body = self.client.get_object(Bucket=self.bucket_name, Key=key)["Body"]
            except ClientError as error:
                if _error_code(error) in _GONE:
                    return False
                raise
            with body:
                # A truncated body raises an error, so a received file is complete.
                for chunk in body.iter_chunks(CHUNK):
                    into.write(chunk)
        return True

    def prove(self, *, seconds: float) -> None:
        """Check that the bucket can be used, or raise an error. Writes a small file once per process.

        Each request to the server may take ``seconds``.
        """
        key = {"Bucket": self.bucket_name, "Key": self._normalize_name(PROOF)}
        prompt = self._prompt(seconds)
        with self._answering():
            if self._proved:
                try:
                    prompt.get_object(**key)["Body"].read()
                    return
                except ClientError as error:
                    if _error_code(error) not in _GONE:
                        raise
            prompt.put_object(**key, Body=b"ready\n")
            prompt.get_object(**key)["Body"].read()
        self._proved = True

    def _prompt(self, seconds: float) -> Any:
        """Return a client that waits ``seconds`` for a response and does not retry."""
        if "_prompt_client" not in self.__dict__:
            self._prompt_client = Bucket(seconds=seconds, attempts=1, **self.options).client
        return self._prompt_client

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Turn errors of the client into refusals that name the setting to check."""
        try:
            yield
        except (ClientError, BotoCoreError) as error:
            raise self._refusal(error) from error

    def _refusal(self, error: Exception) -> Refusal:
        if isinstance(error, NoConnection | HTTPClientError | IncompleteReadError):
            return BucketAway(
                f"{self.where} does not answer ({type(error).__name__}).",
                "Check the server, the network and PREFEREE_S3_ENDPOINT, then try again.",
            )
        if isinstance(error, NoCredentialsError | PartialCredentialsError):
            return BucketRefused(
                "There are no keys for S3.", "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
            )
        if not isinstance(error, ClientError):
            return BucketRefused(f"S3 cannot be used: {error}", "Check the settings PREFEREE_S3_….")
        code = _error_code(error)
        status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
        if status >= 500 or status == 429 or code in _BUSY:
            return BucketAway(f"{self.where} is temporarily unavailable ({code}).", "Try again in a minute.")
        if code in _GONE or code == "NoSuchBucket":
            return BucketRefused(
                f"{self.where} has no bucket {self.bucket_name!r}.",
                "Create it, or correct PREFEREE_S3_BUCKET.",
            )
        if code in _REGION:
            return BucketRefused(
                f"The bucket {self.bucket_name!r} is in another region.", "Correct PREFEREE_S3_REGION."
            )
        if status in {401, 403}:
            return BucketRefused(
                f"{self.where} does not let these keys use the bucket {self.bucket_name!r} ({code}).",
                f"{_KEYS}, and that they may list, read and write PREFEREE_S3_BUCKET.",
            )
        return BucketRefused(f"{self.where} refuses: {error}", "Check the settings PREFEREE_S3_….")


def _error_code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))
