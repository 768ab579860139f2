/** The wheel of seconds behind pings, pongs and expiry. */
import { describe, expect, it } from "vitest"
import { Heartbeat } from "../../../src/ws/connection/heartbeat.ts"

const beating = () => {
  const heard: Array<string> = []
  return {
    isOpen: true,
    heard,
    ping: () => void heard.push("ping"),
    pongDue: () => void heard.push("pongDue"),
    staleDue: () => void heard.push("staleDue"),
    expiryDue: () => void heard.push("expiryDue"),
    subscriptionsDue: () => void heard.push("subscriptionsDue"),
  }
}

describe("the heartbeat", () => {
  it("has all of a second's pings although one entry of it is defective, which is told, and pinged again", () => {
    const heartbeat = new Heartbeat()
    let asked = 0
    const defective = {
      ...beating(),
      ping: () => {
        asked++
        throw new Error("a defect")
      },
    }
    const sound = beating()
    heartbeat.in(1, defective, "ping")
    heartbeat.in(1, sound, "ping")
    expect(() => heartbeat.tick()).toThrow("a defect")
    expect(sound.heard).toEqual(["ping"])
    for (let second = 2; second < 26; second++) heartbeat.tick()
    expect(() => heartbeat.tick()).toThrow("a defect")
    expect([asked, sound.heard]).toEqual([2, ["ping", "pongDue", "ping"]])
  })

  it("pings every 25 s and asks for the pong 8 s later", () => {
    const heartbeat = new Heartbeat()
    const connection = beating()
    heartbeat.in(13, connection, "ping")
    const at: Array<string> = []
    for (let second = 1; second <= 70; second++) {
      const before = connection.heard.length
      heartbeat.tick()
      for (const what of connection.heard.slice(before)) at.push(`${second} ${what}`)
    }
    expect(at).toEqual(["13 ping", "21 pongDue", "38 ping", "46 pongDue", "63 ping"])
  })

  it("leaves a connection alone that is gone", () => {
    const heartbeat = new Heartbeat()
    const connection = beating()
    heartbeat.in(1, connection, "staleDue")
    heartbeat.in(2, connection, "expiryDue")
    heartbeat.tick()
    connection.isOpen = false
    heartbeat.tick()
    expect(connection.heard).toEqual(["staleDue"])
  })

  it("keeps what is due in an hour to the second", () => {
    const heartbeat = new Heartbeat()
    const connection = beating()
    heartbeat.in(3600, connection, "expiryDue")
    for (let second = 1; second < 3600; second++) heartbeat.tick()
    expect(connection.heard).toEqual([])
    heartbeat.tick()
    expect(connection.heard).toEqual(["expiryDue"])
  })

  it("lets a connection that is gone go within a minute, whenever it would have ended", () => {
    const heartbeat = new Heartbeat()
    let asked = 0
    const gone = {
      ...beating(),
      get isOpen() {
        asked++
        return false
      },
    }
    heartbeat.in(3600, gone, "expiryDue")
    asked = 0
    for (let second = 1; second <= 60; second++) heartbeat.tick()
    expect(asked).toBe(1)
    for (let second = 61; second <= 4000; second++) heartbeat.tick()
    expect(asked).toBe(1)
  })
})
