"""A version as one bundle to publish: judgments, test pairs, qrels, texts and facts, without what is not released."""
