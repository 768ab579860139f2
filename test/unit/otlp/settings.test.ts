/** `OTLP_*` and LOG_LEVEL: off unless set, and a header's value is never in a word about it. */
import { describe, expect, it } from "vitest"
import { readSettings } from "../../../src/config.ts"

describe("the settings of telemetry", () => {
  it("are off unless a collector is named", () => {
    expect(readSettings({ OTLP_SAMPLE: "1", OTLP_HEADERS: "a=b" }).otlp).toBeNull()
    expect(readSettings({}).logLevel).toBe("info")
    expect(
      readSettings({ OTLP_URL: "http://127.0.0.1:4318", OTLP_HEADERS: "authorization=Bearer a=b, x=y" }).otlp,
    ).toEqual({
      url: "http://127.0.0.1:4318",
      headers: { authorization: "Bearer a=b", x: "y" },
      sample: 0.01,
    })
  })

  it.each([
    { OTLP_URL: "ftp://a" },
    { OTLP_URL: "127.0.0.1:4318" },
    { OTLP_URL: "http://user:hunter2@a" },
    { OTLP_URL: "http://:hunter2@a" },
    { OTLP_URL: "http://a?key=hunter2" },
    { OTLP_URL: "http://a", OTLP_HEADERS: "hunter2" },
    { OTLP_URL: "http://a", OTLP_HEADERS: "x y=hunter2" },
    { OTLP_URL: "http://a", OTLP_SAMPLE: "2" },
    { OTLP_URL: "http://a", OTLP_SAMPLE: "often" },
    { LOG_LEVEL: "loud" },
  ])("refuse %j with a word that shows no secret", (env) => {
    let said = ""
    try {
      readSettings(env)
    } catch (error) {
      said = error instanceof Error ? error.message : ""
    }
    expect(said).toMatch(/^(OTLP_|LOG_)/)
    expect(said).not.toContain("hunter2")
  })
})
