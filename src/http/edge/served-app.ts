/**
 * The app that routes are put on and channels are published through; behind it one uWebSockets app per certificate, because the library
 * reads a certificate once. The one thing to know: a connection stays with the app that took it, so every app has all routes; and
 * topics are an app's own, so a publication goes to each app that has sockets.
 */
import type { HttpRequest, HttpResponse, RecognizedString, TemplatedApp, WebSocketBehavior } from "uWebSockets.js"

type Handler = (res: HttpResponse, req: HttpRequest) => void

/** What of an app is used by those who serve on it. */
export interface RouteApp {
  get(pattern: string, handler: Handler): unknown
  head(pattern: string, handler: Handler): unknown
  post(pattern: string, handler: Handler): unknown
  put(pattern: string, handler: Handler): unknown
  patch(pattern: string, handler: Handler): unknown
  del(pattern: string, handler: Handler): unknown
  any(pattern: string, handler: Handler): unknown
  ws<State>(pattern: string, behavior: WebSocketBehavior<State>): unknown
  publish(topic: string, message: RecognizedString, isBinary?: boolean, compress?: boolean): unknown
}

/** Of the library, missing in its types: connections that an app accepts are handed, by turns, to the apps that were added to it. */
interface Door {
  getDescriptor(): number
  addChildAppDescriptor(descriptor: number): unknown
  removeChildAppDescriptor(descriptor: number): unknown
}

interface Serving {
  readonly app: TemplatedApp
  /** Open WebSockets: without any, the app of an old certificate costs publications nothing. */
  sockets: number
}

export class ServedApp implements RouteApp {
  private readonly routes: Array<(serving: Serving) => void> = []
  private readonly all: Array<Serving> = []
  private newest: TemplatedApp

  /** `listener` is the app that listens, for good; it serves as well until another one does. */
  constructor(readonly listener: TemplatedApp) {
    this.newest = listener
    this.all.push({ app: listener, sockets: 0 })
  }

  /** False: this build of the library cannot hand connections on. */
  get canHandOn(): boolean {
    const { getDescriptor, addChildAppDescriptor, removeChildAppDescriptor } = this.listener as unknown as Partial<Door>
    return [getDescriptor, addChildAppDescriptor, removeChildAppDescriptor].every((it) => typeof it === "function")
  }

  /** From here on new connections are `app`'s; open ones stay where they are. */
  handOnTo(app: TemplatedApp): void {
    const serving: Serving = { app, sockets: 0 }
    for (const put of this.routes) put(serving)
    const door = this.listener as unknown as Door
    const before = this.newest
    // Both in one turn: nothing is accepted in between, so the library never chooses among two apps or none.
    door.addChildAppDescriptor((app as unknown as Door).getDescriptor())
    if (before !== this.listener) door.removeChildAppDescriptor((before as unknown as Door).getDescriptor())
    this.all.push(serving)
    this.newest = app
  }

  /** Ends every connection. */
  close(): void {
    for (const { app } of this.all) app.close()
  }

  get(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.get(pattern, handler))
  }

  head(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.head(pattern, handler))
  }

  post(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.post(pattern, handler))
  }

  put(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.put(pattern, handler))
  }

  patch(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.patch(pattern, handler))
  }

  del(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.del(pattern, handler))
  }

  any(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.any(pattern, handler))
  }

  ws<State>(pattern: string, behavior: WebSocketBehavior<State>): void {
    this.route((serving) => {
      serving.app.ws<State>(pattern, {
        ...behavior,
        open: (ws) => {
          serving.sockets++
          return behavior.open?.(ws)
        },
        close: (ws, code, message) => {
          serving.sockets--
          return behavior.close?.(ws, code, message)
        },
      })
    })
  }

  publish(topic: string, message: RecognizedString, isBinary?: boolean, compress?: boolean): void {
    for (const { app, sockets } of this.all) if (sockets > 0) app.publish(topic, message, isBinary, compress)
  }

  private route(put: (serving: Serving) => void): void {
    this.routes.push(put)
    for (const serving of this.all) put(serving)
  }
}
