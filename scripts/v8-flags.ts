/**
 * V8's options that the gateway is started with. `package.json`, the Dockerfile and the unit of systemd spell them out, and a test compares;
 * what starts gateways in development, tests and benches takes them from here.
 */
export const V8_FLAGS: ReadonlyArray<string> = [
  // A larger nursery took 15 to 22 % off the CPU under load.
  "--max-semi-space-size=32",
  // The heap may double between two full collections: one in 30 s and more of 160 orders a second, every 8 s without.
  "--heap-growing-percent=100",
  // On two cores four marking threads left the main thread a third of one for 150 to 230 ms, and orders took as long. In steps of its own,
  // none over 10 ms, the same marking costs the main thread 140 to 185 ms, spread out.
  "--no-concurrent-marking",
]
