"""The Slack surface: takes text out of payloads, calls the assistant, posts. It computes nothing."""
