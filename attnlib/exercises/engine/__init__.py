"""What all exercises share: how an answer is run, compared and replied to."""
