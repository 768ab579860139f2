/** The JSON codec on the wire's own text: which messages are commands, which are malformed, and how replies and pushes read. */
import { describe, expect, it } from "vitest"
import { jsonCodec as codec } from "../../../src/ws/protocol/codec-json.ts"
import { ERRORS } from "../../../src/ws/protocol/error-codes.ts"
import { type CommandOf, type Method, NoJson, type Push } from "../../../src/ws/protocol/protocol.ts"
import { received } from "../../kit/readers/client-codecs.ts"

const decode = (text: string) => codec.decode(received(text))
const command = <M extends Method>(method: M, id = 2) => ({ id, method, key: method, parameters: {} }) as CommandOf<M>

const ORDER =
  "connect subscribe unsubscribe publish presence presence_stats history ping send rpc refresh sub_refresh".split(" ")

/** A request of the method that says which it is. */
const named = (method: string): Readonly<Record<string, string>> => {
  if (method === "ping") return {}
  if (method === "connect" || method === "refresh") return { token: method }
  return method === "rpc" ? { method } : method === "send" ? { data: method } : { channel: method }
}

describe("a message of a client", () => {
  it.each(ORDER)("with %s and all requests that come after it in the protocol asks for that", (method) => {
    const later = ORDER.slice(ORDER.indexOf(method)).toReversed()
    const requests = later.map((each) => `"${each}":${JSON.stringify(named(each))}`)
    expect(decode(`{${requests.join()},"id":1}`)).toEqual([{ id: 1, method, key: method, parameters: named(method) }])
  })

  it("holds one command or several, the id before the request or after it", () => {
    expect(decode('{"connect":{"name":"js"},"id":1}\n{"id":2,"subscribe":{"channel":"x","flag":1}}')).toEqual([
      { id: 1, method: "connect", key: "connect", parameters: { name: "js" } },
      { id: 2, method: "subscribe", key: "subscribe", parameters: { channel: "x", flag: 1 } },
    ])
  })

  it.each([
    ["a trailing newline", '{"id":1,"ping":{}}\n', { id: 1, method: "ping", key: "ping", parameters: {} }],
    ["carriage returns", '{"id":1,"ping":{}}\r\n', { id: 1, method: "ping", key: "ping", parameters: {} }],
    ["a pong", "{}", { id: 0, method: "pong", key: "", parameters: {} }],
    ["only unknown fields", '{"later":{}}', { id: 0, method: "pong", key: "", parameters: {} }],
    ["send, without an id", '{"send":{"data":1}}', { id: 0, method: "send", key: "send", parameters: { data: 1 } }],
    ["the largest id", '{"id":4294967295,"ping":{}}', { id: 4294967295, method: "ping", key: "ping", parameters: {} }],
    [
      "a null request beside one",
      '{"id":1,"connect":null,"ping":{}}',
      { id: 1, method: "ping", key: "ping", parameters: {} },
    ],
    [
      "several requests: the protocol's first counts",
      '{"rpc":{},"id":1,"history":{"channel":"a"},"subscribe":null}',
      { id: 1, method: "history", key: "history", parameters: { channel: "a" } },
    ],
    [
      "a camel-case name",
      '{"id":1,"presenceStats":{"channel":"a"}}',
      { id: 1, method: "presence_stats", key: "presenceStats", parameters: { channel: "a" } },
    ],
    [
      "the other camel-case name",
      '{"id":1,"subRefresh":{"channel":"a"}}',
      { id: 1, method: "sub_refresh", key: "subRefresh", parameters: { channel: "a" } },
    ],
    [
      "a key twice: the last counts",
      '{"id":1,"id":2,"ping":{}}',
      { id: 2, method: "ping", key: "ping", parameters: {} },
    ],
    [
      "text beyond ASCII",
      '{"id":1,"rpc":{"method":"наука💡"}}',
      { id: 1, method: "rpc", key: "rpc", parameters: { method: "наука💡" } },
    ],
  ])("is read with %s", (_what, text, wanted) => {
    expect(decode(text)).toEqual([wanted])
  })

  it.each([
    ["nothing", ""],
    ["a newline", "\n"],
    ["a blank line between", '{"id":1,"ping":{}}\n\n{"id":2,"ping":{}}'],
    ["two trailing newlines", '{"id":1,"ping":{}}\n\n'],
    ["no JSON", "hello"],
    ["half a command", '{"id":1,"ping":{'],
    ["two commands on a line", '{"id":1,"ping":{}}{"id":2,"ping":{}}'],
    ["one good command and one bad", '{"id":1,"ping":{}}\n{"id":0,"ping":{}}'],
    ["id 0", '{"id":0,"ping":{}}'],
    ["no id", '{"subscribe":{"channel":"x"}}'],
    ["a negative id", '{"id":-1,"ping":{}}'],
    ["an id with a fraction", '{"id":1.5,"ping":{}}'],
    ["an id above 32 bits", '{"id":4294967296,"ping":{}}'],
    ["an id that is text", '{"id":"1","ping":{}}'],
    ["an id without a request", '{"id":1}'],
    ["an unknown request", '{"id":1,"dance":{}}'],
    ["a list", "[]"],
    ["null", "null"],
    ["a number", "5"],
    ["a request that is a list", '{"id":1,"subscribe":[]}'],
    ["a request that is text", '{"id":1,"subscribe":"x"}'],
    ["a request after the one that counts", '{"id":1,"ping":{},"rpc":{"method":7}}'],
    ["a byte order mark", '\ufeff{"id":1,"ping":{}}'],
  ])("is malformed with %s", (_what, text) => {
    expect(decode(text)).toBeUndefined()
  })

  it("is malformed when its bytes are no UTF-8", () => {
    const bytes = Buffer.from('{"id":1,"rpc":{"method":"?"}}')
    expect(codec.decode(received(bytes))).toHaveLength(1)
    bytes[bytes.indexOf("?")] = 0xff
    expect(codec.decode(received(bytes))).toBeUndefined()
  })

  it("cannot reach the prototypes", () => {
    const text = '{"id":1,"__proto__":{"rpc":{}},"subscribe":{"__proto__":{"channel":"a"},"constructor":1}}'
    const [read] = decode(text) ?? []
    expect(read?.method).toBe("subscribe")
    expect(Reflect.get(read?.parameters ?? {}, "channel")).toBeUndefined()
    expect(Object.getPrototypeOf(read?.parameters)).toBe(Object.prototype)
    expect(Object.hasOwn(Object.prototype, "channel")).toBe(false)
  })
})

/** Of every type that a field can have: what JSON may say instead. */
const WRONG: Readonly<Record<string, ReadonlyArray<string>>> = {
  text: ["7", "true", "{}", "[]"],
  flag: ["1", '"true"', "{}"],
  int32: ['"1"', "1.5", "true", "2147483648", "-2147483649", "[]"],
  int64: ['"1"', "1.5", "9300000000000000000"],
  uint64: ['"1"', "-1", "1.5", "18500000000000000000", "true", "{}"],
  object: ["7", '"x"', "[]", "true"],
  list: ["7", "{}", '"x"'],
}
const FIELDS: ReadonlyArray<readonly [method: string, fields: Readonly<Record<string, string>>]> = [
  ["connect", { token: "text", name: "text", version: "text", flag: "int64", subs: "object", headers: "object" }],
  ["connect", { dict: "text", profile: "text" }],
  ["subscribe", { channel: "text", token: "text", recover: "flag", epoch: "text", offset: "uint64", flag: "int64" }],
  ["subscribe", { positioned: "flag", recoverable: "flag", join_leave: "flag", delta: "text", type: "int32" }],
  ["subscribe", { phase: "int32", cursor: "text", limit: "int32", asc: "flag" }],
  ["unsubscribe", { channel: "text" }],
  ["publish", { channel: "text", type: "int32", key: "text", removed: "flag" }],
  ["presence", { channel: "text" }],
  ["presence_stats", { channel: "text" }],
  ["presenceStats", { channel: "text" }],
  ["history", { channel: "text", limit: "int32", since: "object", reverse: "flag" }],
  ["rpc", { method: "text" }],
  ["refresh", { token: "text" }],
  ["sub_refresh", { channel: "text", token: "text", type: "int32", track: "list", untrack: "list" }],
]

describe("a field of a command", () => {
  const typed = FIELDS.flatMap(([method, fields]) =>
    Object.entries(fields).map(([field, type]) => [method, field, type] as const),
  )

  it.each(typed)("of %s that is called %s and is no %s makes it malformed", (method, field, type) => {
    for (const value of WRONG[type] ?? [])
      expect([value, decode(`{"id":1,"${method}":{"${field}":${value}}}`)]).toEqual([value, undefined])
  })

  it.each(typed)("of %s that is called %s is absent when it is null", (method, field) => {
    expect(decode(`{"id":1,"${method}":{"${field}":null}}`)).toMatchObject([{ key: method, parameters: {} }])
  })

  it.each([
    ['"connect":{"subs":{"a":{"offset":"1"}}}'],
    ['"connect":{"subs":{"a":[]}}'],
    ['"connect":{"headers":{"a":1}}'],
    ['"history":{"since":{"offset":-1}}'],
    ['"history":{"since":{"offset":1.5}}'],
    ['"history":{"since":{"epoch":1}}'],
    ['"sub_refresh":{"untrack":[1]}'],
    ['"sub_refresh":{"track":[{"items":[{"version":-1}]}]}'],
  ])("makes it malformed from within: %s", (request) => {
    expect(decode(`{"id":1,${request}}`)).toBeUndefined()
  })

  it("may be any JSON where the protocol has bytes, null too", () => {
    for (const method of ["connect", "subscribe", "publish", "send", "rpc"])
      for (const data of ["null", "7", '"x"', "[]", "{}", "false"])
        expect(decode(`{"id":1,"${method}":{"data":${data}}}`)).toMatchObject([
          { parameters: { data: JSON.parse(data) } },
        ])
  })

  it("may be an offset above 2^53, which is ahead of all there are", () => {
    for (const offset of ["9007199254740993", "18446744073709551615"])
      expect(decode(`{"id":1,"subscribe":{"offset":${offset}}}`)).toMatchObject([
        { parameters: { offset: Number.MAX_SAFE_INTEGER } },
      ])
  })

  it("of a publish called data is kept as it is written; of several the last counts", () => {
    const contentOf = (text: string) => decode(text)?.[0]?.content
    expect(contentOf('{"id":1,"publish":{"channel":"a","data": {"b":1.10,"b" :2} }}')).toBe('{"b":1.10,"b" :2}')
    expect(contentOf('{"id":1,"publish":{"data":1,"d\\u0061ta":[1.0 ],"x":{"data":3}},"data":4}')).toBe("[1.0 ]")
    expect(contentOf('{"publish":{"data":1},"id":1,"publish" : {"data":"\\"}"}}')).toBe('"\\"}"')
    expect(contentOf('{"id":1,"publish":{"data":null}}')).toBe("null")
    expect(contentOf('{"id":1,"publish":{}}')).toBeUndefined()
    expect(contentOf('{"id":1,"rpc":{"data":1}}')).toBeUndefined()
  })
})

describe("a reply", () => {
  it("always has its result, and no zero values in it", () => {
    expect(codec.reply(command("subscribe"), {})).toBe('{"id":2,"subscribe":{}}')
    expect(codec.reply(command("unsubscribe"), {})).toBe('{"id":2,"unsubscribe":{}}')
    expect(codec.reply(command("refresh"), { expires: false, ttl: 0 })).toBe('{"id":2,"refresh":{}}')
    expect(
      codec.reply(command("subscribe"), {
        recoverable: false,
        epoch: "",
        offset: 0,
        publications: [],
        type: 0,
        cursor: "",
      }),
    ).toBe('{"id":2,"subscribe":{}}')
  })

  it("has the zero values that readers count on", () => {
    expect(codec.reply(command("presence_stats"), { num_clients: 0, num_users: 0 })).toBe(
      '{"id":2,"presence_stats":{"num_clients":0,"num_users":0}}',
    )
    expect(codec.reply(command("presence"), { presence: {} })).toBe('{"id":2,"presence":{"presence":{}}}')
    expect(codec.reply(command("presence"), { presence: { a: { user: "", client: "" } } })).toBe(
      '{"id":2,"presence":{"presence":{"a":{"user":"","client":""}}}}',
    )
    expect(codec.reply(command("history"), { publications: [], epoch: "", offset: 0 })).toBe(
      '{"id":2,"history":{"publications":[],"epoch":"","offset":0}}',
    )
  })

  it("answers by the name that the command used", () => {
    const asked = decode('{"id":7,"presenceStats":{"channel":"a"}}')?.[0]
    if (asked?.method !== "presence_stats") throw new Error(`read as ${asked?.method}`)
    expect(codec.reply(asked, { num_clients: 1, num_users: 1 })).toBe(
      '{"id":7,"presenceStats":{"num_clients":1,"num_users":1}}',
    )
  })

  it("embeds payloads as they are, digits and all", () => {
    const data = '{"price":"0.10","rate":1.10,"big":12345678901234567890}'
    expect(codec.reply(command("rpc"), { data })).toBe(`{"id":2,"rpc":{"data":${data}}}`)
    expect(
      codec.reply(command("subscribe"), {
        recoverable: true,
        epoch: "abcd",
        publications: [
          { data, offset: 3 },
          { data: '"x"', offset: 4, delta: true },
        ],
        recovered: true,
        offset: 2,
        data: "null",
        was_recovering: true,
      }),
    ).toBe(
      `{"id":2,"subscribe":{"recoverable":true,"epoch":"abcd","publications":[{"data":${data},"offset":3},{"data":"x","offset":4,"delta":true}],"recovered":true,"offset":2,"data":null,"was_recovering":true}}`,
    )
  })

  it("leaves out the raw newlines of a payload, which would end it", () => {
    const data = '{\n"a" : "\\n"\r\n}'
    expect(codec.reply(command("rpc"), { data })).toBe('{"id":2,"rpc":{"data":{"a" : "\\n"\r}}}')
    expect(codec.push("a", { kind: "pub", body: { data } })).toBe(
      '{"push":{"channel":"a","pub":{"data":{"a" : "\\n"\r}}}}',
    )
  })

  it("refuses with code, message and, when trying again may help, temporary", () => {
    expect(codec.refusal(command("subscribe"), ERRORS.unknownChannel)).toBe(
      '{"id":2,"error":{"code":102,"message":"unknown channel"}}',
    )
    expect(codec.refusal(command("rpc"), ERRORS.internal, '{"success":false}')).toBe(
      '{"id":2,"error":{"code":100,"message":"internal server error","temporary":true},"rpc":{"data":{"success":false}}}',
    )
  })
})

describe("a push", () => {
  const pushes: ReadonlyArray<readonly [channel: string, push: Push, text: string]> = [
    ["a:b", { kind: "pub", body: { data: "[1]", offset: 5 } }, '{"channel":"a:b","pub":{"data":[1],"offset":5}}'],
    [
      "a",
      { kind: "join", body: { info: { user: "u", client: "c", conn_info: "{}" } } },
      '{"channel":"a","join":{"info":{"user":"u","client":"c","conn_info":{}}}}',
    ],
    [
      "a",
      { kind: "leave", body: { info: { user: "", client: "c" } } },
      '{"channel":"a","leave":{"info":{"user":"","client":"c"}}}',
    ],
    [
      "a",
      { kind: "unsubscribe", body: { code: 2500, reason: 'no "state"' } },
      '{"channel":"a","unsubscribe":{"code":2500,"reason":"no \\"state\\""}}',
    ],
    [
      "a",
      { kind: "subscribe", body: { recoverable: true, epoch: "e" } },
      '{"channel":"a","subscribe":{"recoverable":true,"epoch":"e"}}',
    ],
    ["", { kind: "message", body: { data: "1" } }, '{"message":{"data":1}}'],
    ["", { kind: "refresh", body: { expires: true, ttl: 100 } }, '{"refresh":{"expires":true,"ttl":100}}'],
  ]
  it.each(pushes)("on %j of %j is what a client reads", (channel, push, text) => {
    expect(codec.push(channel, push)).toBe(`{"push":${text}}`)
  })

  it("of a publication is the same text from the fast path", () => {
    const publish = codec.publications('odd"name')
    for (const body of [
      { data: "{}" },
      { data: '{"a":1}', offset: 1, epoch: "abcd" },
      { data: "", offset: 4, key: "k", removed: true },
      { data: "1", info: { user: "u", client: "c" }, tags: { side: "BUY", empty: "" }, time: 5 },
    ]) {
      expect(publish(body)).toBe(codec.push('odd"name', { kind: "pub", body }))
      expect(JSON.parse(String(publish(body))).push.channel).toBe('odd"name')
    }
    expect(publish({ data: "", offset: 4, key: "k", removed: true })).toBe(
      '{"push":{"channel":"odd\\"name","pub":{"offset":4,"key":"k","removed":true}}}',
    )
  })

  it("cannot carry bytes", () => {
    expect(() => codec.publications("a")({ data: Uint8Array.of(1) })).toThrow(NoJson)
  })
})

describe("a message of the server", () => {
  it("is frames joined by newlines; an empty reply is a ping", () => {
    expect(codec.join(["{}", '{"id":1}'])).toBe('{}\n{"id":1}')
    expect(codec.join(["{}"])).toBe("{}")
    expect(codec.ping).toBe("{}")
  })
})
