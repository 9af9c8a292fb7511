"""The wire format and rules of Amazon's MTurk protocol. Pure: imports nothing but errors."""
