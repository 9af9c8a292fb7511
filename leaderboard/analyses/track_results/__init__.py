"""Every run of a track with its description and values: the result tables of an overview."""
