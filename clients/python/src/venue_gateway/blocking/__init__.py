"""The client without asyncio: the same parts, run by a thread of their own."""
