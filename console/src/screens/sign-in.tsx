/** Sign in, sign up, and what comes by mail: a link with `#type=…&token=…`, or the token typed in. */
import { useState } from "preact/hooks"
import { Field, Form } from "../parts/ui.tsx"
import { farewell, gateway, open, Refused, signUp, verify } from "../session.ts"

type Way = "in" | "up" | "lost" | "token"

const WAYS: Readonly<Record<Way, string>> = {
  in: "Sign in",
  up: "Sign up",
  lost: "Lost password",
  token: "Mailed token",
}

/** Of a mail's link; null: the page was opened without one. */
const mailed = (): { readonly type: string; readonly token: string } | null => {
  const given = new URLSearchParams(location.hash.slice(1))
  const [type, token] = [given.get("type"), given.get("token")]
  return type === null || token === null ? null : { type, token }
}

const TOKEN_TYPES = ["signup", "recovery", "email_change"] as const

export const SignIn = () => {
  const fromMail = mailed()
  const [way, setWay] = useState<Way>(fromMail === null ? "in" : "token")
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const [code, setCode] = useState("")
  const [needsCode, setNeedsCode] = useState(false)
  const [setupToken, setSetupToken] = useState("")
  const [token, setToken] = useState(fromMail?.token ?? "")
  const [type, setType] = useState<string>(fromMail?.type ?? "signup")
  const [told, setTold] = useState<string | null>(null)

  const signIn = async (): Promise<void> => {
    try {
      await open(email, password, code)
    } catch (error) {
      if (error instanceof Refused && error.code === "SECOND_FACTOR_NEEDED") setNeedsCode(true)
      throw error
    }
  }
  const register = async (): Promise<void> => {
    const body = setupToken === "" ? { email, password } : { email, password, setupToken }
    if ((await signUp(body)) === null) return
    setTold(`A mail is on its way to ${email}. Its token opens your session.`)
    setWay("token")
  }
  const recover = async (): Promise<void> => {
    await gateway.post("auth/recover", { email })
    setTold(`If ${email} is a user's, a mail is on its way.`)
    setType("recovery")
    setWay("token")
  }
  const proveByMail = async (): Promise<void> => {
    const asked = { type: type as (typeof TOKEN_TYPES)[number], token: token.trim() }
    try {
      const change = await verify(code === "" ? asked : { ...asked, totpCode: code })
      // The token is good once: no history keeps it.
      location.replace(type === "recovery" ? "#/keys" : "#/trade")
      if (change !== null)
        setTold(change.status === "DONE" ? "The new address is in force." : "Now the other address has to confirm.")
    } catch (error) {
      if (error instanceof Refused && error.code === "SECOND_FACTOR_NEEDED") setNeedsCode(true)
      throw error
    }
  }
  const acts = { in: signIn, up: register, lost: recover, token: proveByMail }
  return (
    <main class="sign-in">
      <h1>Venue gateway</h1>
      <nav aria-label="Ways in">
        {(Object.keys(WAYS) as Array<Way>).map((it) => (
          <button type="button" key={it} class="quiet" aria-current={it === way} onClick={() => setWay(it)}>
            {WAYS[it]}
          </button>
        ))}
      </nav>
      {farewell.value !== null && (
        <p class="note" role="status">
          {farewell.value}
        </p>
      )}
      {told !== null && (
        <p class="note" role="status">
          {told}
        </p>
      )}
      <Form onSend={acts[way]} button={WAYS[way]} key={way}>
        {way !== "token" && (
          <Field label="E-mail">
            <input
              type="email"
              name="email"
              autocomplete="username"
              required
              value={email}
              onInput={(event) => setEmail(event.currentTarget.value)}
            />
          </Field>
        )}
        {(way === "in" || way === "up") && (
          <Field label="Password" {...(way === "up" ? { hint: "8 characters or more" } : {})}>
            <input
              type="password"
              name="password"
              autocomplete={way === "in" ? "current-password" : "new-password"}
              required
              value={password}
              onInput={(event) => setPassword(event.currentTarget.value)}
            />
          </Field>
        )}
        {way === "up" && (
          <Field label="Set-up token" hint="of the ready line; makes the first admin">
            <input
              autocomplete="off"
              value={setupToken}
              onInput={(event) => setSetupToken(event.currentTarget.value.trim())}
            />
          </Field>
        )}
        {way === "token" && (
          <>
            <Field label="What the mail is about">
              <select value={type} onChange={(event) => setType(event.currentTarget.value)}>
                <option value="signup">a new user</option>
                <option value="recovery">a forgotten password</option>
                <option value="email_change">a new address</option>
              </select>
            </Field>
            <Field label="Token">
              <input
                autocomplete="off"
                required
                value={token}
                onInput={(event) => setToken(event.currentTarget.value)}
              />
            </Field>
          </>
        )}
        {needsCode && (
          <Field label="Code" hint="of the authenticator, or a recovery code">
            <input autocomplete="one-time-code" value={code} onInput={(event) => setCode(event.currentTarget.value)} />
          </Field>
        )}
      </Form>
      <p class="dim">
        <a href="/docs/start">Guides</a> · <a href="/docs">Reference</a> · <a href="/docs/realtime">Real time</a>
      </p>
    </main>
  )
}
