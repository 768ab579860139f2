/** What API keys may call: held against what each route declares of itself. */
import { HttpApi } from "@effect/platform"
import { Context, Option } from "effect"
import { describe, expect, it } from "vitest"
import { PERMISSION_OF } from "../../../src/domain/user/api-key.ts"
import { API_KEY_RULES, Api } from "../../../src/http/api.ts"
import { Access, type AccessLevel, always, Fresh } from "../../../src/http/edge/route.ts"
import { keyRuleOf } from "../../../src/http/key-scopes.ts"

const routes = (() => {
  const found: Array<{ group: string; name: string; access: AccessLevel; isAlwaysFresh: boolean }> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ group, endpoint }) => {
      const annotations = endpoint.annotations as Context.Context<Access>
      found.push({
        group: group.identifier,
        name: endpoint.name,
        access: Option.getOrThrow(Context.getOption(annotations, Access)),
        isAlwaysFresh: Context.get(endpoint.annotations as Context.Context<never>, Fresh) === always,
      })
    },
  })
  return found
})()

describe("the rules of API keys", () => {
  it("name every route, and no other", () => {
    const named = Object.entries(API_KEY_RULES).flatMap(([group, rules]) =>
      Object.keys(rules).map((it) => `${group}.${it}`),
    )
    expect(named.sort()).toEqual(routes.map(({ group, name }) => `${group}.${name}`).sort())
  })

  it("let no key do what needs a proof of who asks", () => {
    const wrong = routes.filter(
      ({ group, name, isAlwaysFresh }) => isAlwaysFresh && keyRuleOf(group, name).scope !== "session",
    )
    expect(wrong).toEqual([])
  })

  it("ask for the right that the route asks a session for", () => {
    const wrong = routes.flatMap(({ group, name, access }) => {
      const { scope } = keyRuleOf(group, name)
      if (scope === "session") return []
      const isRight =
        access === "none"
          ? scope === "open"
          : access === "session"
            ? scope === "read"
            : scope !== "open" && PERMISSION_OF[scope] === access
      return isRight ? [] : [{ group, name, access, scope }]
    })
    expect(wrong).toEqual([])
  })

  it("shut what has none", () => {
    expect(keyRuleOf("tradeOrder", "invented")).toEqual({ scope: "session", limited: false })
  })
})
