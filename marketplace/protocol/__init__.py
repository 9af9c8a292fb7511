"""The wire format and rules of Amazon's MTurk protocol. Imports only errors and the rules for money."""
