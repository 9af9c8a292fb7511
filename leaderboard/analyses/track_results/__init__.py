"""Every run of a track with its description and values, as in the result tables of an overview paper."""
