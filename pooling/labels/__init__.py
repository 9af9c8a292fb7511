"""Qrel sets, labels of documents, withheld labels, and which queries are public."""
