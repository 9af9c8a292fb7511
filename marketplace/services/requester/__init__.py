"""The operations of the protocol, as requesters call them."""
