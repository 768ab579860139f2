"""The client against a real gateway: ``GATEWAY_URL`` names it, without limits of rates; ``GATEWAY_PID`` lets it be frozen."""
