"""What a conversation remembers, as pure functions of texts and values; storage/ keeps it."""
