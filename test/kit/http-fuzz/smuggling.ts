/**
 * Requests whose length or path two servers may interpret differently (scoreboard B9). Each hides `GET /canary` where one of the interpretations
 * ends; a server that serves the canary has read it as a request of its own.
 */

import { connect } from "node:net"

export interface Ambiguous {
  readonly name: string
  /** Latin-1. */
  readonly bytes: string
}

/** Who serves the canary learns by its id whose it was. */
const UNNAMED = "canary.00"
const CANARY = `GET /canary HTTP/1.1\r\nHost: x\r\nX-Request-ID: ${UNNAMED}\r\n\r\n`

const post = (headers: ReadonlyArray<string>, body: string): string =>
  `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers.map((it) => `${it}\r\n`).join("")}\r\n${body}`

const hex = (text: string): string => text.length.toString(16)

/** The whole is the body by Content-Length, and ends at `0` by the other reading. */
const ended = `0\r\n\r\n${CANARY}`
/** The canary is inside a chunk, and outside by a short Content-Length. */
const chunk = `${hex(CANARY)}\r\n${CANARY}\r\n0\r\n\r\n`

const CODINGS: ReadonlyArray<string> = [
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding:\tchunked",
  "Transfer-Encoding:chunked",
  "Transfer-Encoding: \x0bchunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding: identity, chunked",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
  "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
  " Transfer-Encoding: chunked",
  "X: y\r\n Transfer-Encoding: chunked",
  "X: y\nTransfer-Encoding: chunked",
  "Transfer-Encoding\r\n: chunked",
  "TRANSFER-ENCODING: CHUNKED",
  'Transfer-Encoding: "chunked"',
]

const LENGTHS: ReadonlyArray<string> = [
  "Content-Length: 12\r\nContent-Length: 5",
  "Content-Length: 5, 12",
  "Content-Length: +12",
  "Content-Length: -1",
  "Content-Length: 0x0c",
  "Content-Length: 1 2",
  "Content-Length: 18446744073709551628",
  "Content-Length: 99999999999999999999999",
  "Content-Length: ",
  "Content-Length : 12",
  "Content-Length: 12\r\n Content-Length: 0",
  "Content_Length: 0\r\nContent-Length: 12a",
]

const SIZES: ReadonlyArray<string> = [
  "-1",
  "0x5",
  "+5",
  "5 5",
  "FFFFFFFFFFFFFFFF5",
  "10000000000000000",
  "g",
  "",
  "5;\n",
  "5\n",
]

const word = '{"word":"a"}'

const TEXTS: ReadonlyArray<Ambiguous> = [
  ...CODINGS.flatMap(
    (coding): ReadonlyArray<Ambiguous> => [
      { name: `Content-Length and ${coding}`, bytes: post([`Content-Length: ${ended.length}`, coding], ended) },
      { name: `${coding} and a short Content-Length`, bytes: post([coding, "Content-Length: 4"], chunk) },
    ],
  ),
  ...LENGTHS.map((lines) => ({ name: lines, bytes: post([lines], word + CANARY) })),
  ...SIZES.map((size) => ({
    name: `a chunk of ${JSON.stringify(size)}`,
    bytes: post(["Transfer-Encoding: chunked"], `${size}\r\nhello\r\n${CANARY}`),
  })),
  {
    name: "a body of GET",
    bytes: `GET /facts HTTP/1.1\r\nHost: x\r\nContent-Length: ${CANARY.length}\r\n\r\n${CANARY}`,
  },
  {
    name: "a chunked body of GET",
    bytes: `GET /facts HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
  },
  { name: "lines that end in LF", bytes: `POST /echo HTTP/1.1\nHost: x\nContent-Length: 0\n\n${CANARY}` },
  { name: "a line that ends in CR", bytes: `POST /echo HTTP/1.1\r\nHost: x\rContent-Length: 0\r\n\r\n${CANARY}` },
  { name: "a header with NUL", bytes: `GET /facts HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n${CANARY}` },
  { name: "a header without a colon", bytes: `GET /facts HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n${CANARY}` },
  { name: "HTTP/0.9", bytes: `GET /facts\r\n${CANARY}` },
  { name: "HTTP/2", bytes: `GET /facts HTTP/2.0\r\nHost: x\r\n\r\n${CANARY}` },
  { name: "HTTP/1.2", bytes: `GET /facts HTTP/1.2\r\nHost: x\r\n\r\n${CANARY}` },
  { name: "the preface of HTTP/2", bytes: `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${CANARY}` },
]

/** As long as the texts, so that their lengths stay true. */
const idOf = (index: number): string => `canary.${String(index + 10)}`

export const AMBIGUOUS: ReadonlyArray<Ambiguous> = TEXTS.map(({ name, bytes }, index) => ({
  name,
  bytes: bytes.replaceAll(UNNAMED, idOf(index)),
}))

/** Whose canaries these are. */
export const namesOf = (served: ReadonlyArray<string>): ReadonlyArray<string> =>
  served.map((id) => AMBIGUOUS.find((_, index) => idOf(index) === id)?.name ?? id)

/** Sends all of it and no more, and answers what came until the connection ended. */
export const saidTo = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    let text = ""
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => socket.end(bytes, "latin1"))
    socket.setEncoding("latin1").on("data", (part: string) => {
      text += part
    })
    // Cut off in the middle of what it had to say: that is an answer, too.
    socket.on("error", () => resolve(text)).on("close", () => resolve(text))
    socket.on("end", () => socket.destroy())
  })

export const statusesOf = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status))

/** Other spellings of a path: whoever guards the one by its text must not be led past by the other. */
export const OTHER_SPELLINGS: ReadonlyArray<string> = [
  "/canary/",
  "//canary",
  "/./canary",
  "/x/../canary",
  "/%63anary",
  "/%2563anary",
  "/canary;x=1",
  "/canary%00",
  "/canary%2f",
  "/canary%20",
  "/CANARY",
  "/canary.json",
  "/\\canary",
  "/%2e%2e/canary",
  "/..;/canary",
  "/canary%23",
]
