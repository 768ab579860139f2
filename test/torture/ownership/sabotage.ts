/** What a sabotage of the cluster is: a promise, a condition in the sources that it rests on, and the test that has to see it gone. */

/** In their order: what holds, whatever nodes, lines and servers do. */
export const HOLDS = {
  fence: "nothing is stored under an epoch once there is a newer one",
  sequences: "events of an account have no gap and no number twice",
  once: "an order reaches its venue once",
  signed: "no order or change is signed after its time, or beside another owner",
  deadline: "nothing is answered before it is stored, and nothing is begun after its deadline",
  readers: "a reader gets one publication after the other, or is told",
  drain: "a node that is told to end refuses nothing",
  ban: "an end of sessions or rights acts at every node",
} as const

export interface Sabotage {
  readonly holds: keyof typeof HOLDS
  readonly without: string
  readonly file: string
  readonly from: string
  readonly to: string
  /** Its file, and how its title begins. */
  readonly test: readonly [file: string, title: string]
}

type Rest = Omit<Sabotage, "holds" | "file">
export const of = (holds: Sabotage["holds"], file: string, ...rest: ReadonlyArray<Rest>): ReadonlyArray<Sabotage> =>
  rest.map((it) => ({ holds, file, ...it }))
