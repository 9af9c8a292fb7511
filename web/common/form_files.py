"""Files sent with a plain form: written to disk, limited in size, from signed-in people only.

Django reads a form before any view runs (its CSRF check needs the form), so the limits are enforced here.
"""

import tempfile
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.template.defaultfilters import filesizeformat

from pooling.intake.run_transfers import incoming


class ToDisk(FileUploadHandler):
    """An upload handler that keeps files in the data directory, not in memory, until the request is over."""

    chunk_size = 1 << 20
    file: Any = None

    def new_file(self, *args: Any, **named: Any) -> None:
        """Begin a file. Raises PermissionDenied for anonymous users."""
        user = getattr(self.request, "user", None)
        if user is None or not user.is_authenticated:
            raise PermissionDenied("Sign in to send files.")
        super().new_file(*args, **named)
        self.file = tempfile.NamedTemporaryFile(dir=incoming())  # noqa: SIM115  (closed with the request)
        self.received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a chunk. Raises RequestDataTooBig when the file gets too large."""
        self.received += len(raw_data)
        if self.received > settings.MAX_UPLOAD_BYTES:
            self.file.close()
            raise RequestDataTooBig(
                f"A file is larger than the limit of {filesizeformat(settings.MAX_UPLOAD_BYTES)}."
            )
        self.file.write(raw_data)

    def file_complete(self, file_size: int) -> UploadedFile:
        self.file.seek(0)
        return UploadedFile(self.file, self.file_name, self.content_type, file_size, self.charset)

    def upload_interrupted(self) -> None:
        """Delete the file when the connection is lost."""
        if self.file is not None:
            self.file.close()
