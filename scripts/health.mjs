/**
 * The container's health check: exit code 0 while the gateway of this container is running. Plain node without dependencies, because the image
 * has nothing else. The one thing to know: it requests /health/live and not /health. A lost database or venue must not restart the process;
 * whether it should get traffic is for the proxy to check. It comes over loopback: with METRICS_PORT to that port; without it, and behind a
 * proxy, 127.0.0.1 must be in TRUST_PROXY.
 */
import { readFileSync } from "node:fs"
import { request as plain } from "node:http"
import { request as secure } from "node:https"

const { PORT = "8080", METRICS_PORT, TLS_CERT_FILE } = process.env
// The port of the metrics answers it without TLS and without a proxy's headers. At 0 nobody but the log knows it.
const isPlain = Boolean(METRICS_PORT) && METRICS_PORT !== "0"
const isTls = TLS_CERT_FILE && !isPlain
const options = {
  host: "127.0.0.1",
  port: isPlain ? METRICS_PORT : PORT,
  path: "/api/v3/health/live",
  timeout: 4000,
  headers: { "X-Forwarded-Proto": "https" },
  // It must be our own certificate, whatever name it was made for and whoever signed it.
  ...(isTls
    ? { ca: readFileSync(TLS_CERT_FILE), allowPartialTrustChain: true, checkServerIdentity: () => undefined }
    : {}),
}

const end = (code, says) => {
  process.stdout.write(`${says}\n`)
  process.exit(code)
}

const ask = isTls ? secure : plain
ask(options, ({ statusCode }) => end(statusCode === 200 ? 0 : 1, `HTTP ${statusCode}`))
  .on("timeout", () => end(1, "no answer in 4 s"))
  .on("error", (error) => end(1, error.message))
  .end()
