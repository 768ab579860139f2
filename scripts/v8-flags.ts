/**
 * V8's options that the gateway is started with. `package.json`, the Dockerfile and the unit of systemd spell them out, and a test compares;
 * what starts gateways in development, tests and benches takes them from here.
 *
 * Tried and left out: `--no-concurrent-marking` with `--heap-growing-percent=100`. On two cores the worst wait behind a full collection at
 * 160 orders a second fell from 130-230 ms to 37-112, but a gateway that is asked for all it can do (`bench -- order`, four pairs of runs by
 * turns) stored 13 % fewer orders a second, each for 18 % more processor time.
 */
export const V8_FLAGS: ReadonlyArray<string> = [
  // A larger nursery took 15 to 22 % off the CPU under load.
  "--max-semi-space-size=32",
  // One thread less than the machine has cores, in the place of four: on two cores V8's own four took both from the main thread and PostgreSQL
  // for as long as a full collection lasted, and answers waited 100 to 300 ms.
  "--v8-pool-size=0",
]
