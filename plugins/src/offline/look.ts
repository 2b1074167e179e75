import type { ToolOutcome } from './question/conversation.ts'

/** A tool call that somebody wants answered. */
export interface Wish {
  readonly tool: string
  readonly args: object
}

/**
 * Work that needs tools: it yields the calls that it wants and is handed their outcomes.
 *
 * The provider keeps no state. On every turn it starts the work anew and plays it forward over the outcomes that stand
 * in the messages, to the first call that has none; that call is what the turn asks for.
 */
export type Look<T> = Generator<readonly Wish[], T, readonly ToolOutcome[]>

/** What several pieces of work come to. */
export type Results<Looks extends readonly Look<unknown>[]> = {
  -readonly [Index in keyof Looks]: Looks[Index] extends Look<infer Result> ? Result : never
}

/** Does several pieces of work side by side: their calls go out together. */
export function* together<const Looks extends readonly Look<unknown>[]>(looks: Looks): Look<Results<Looks>> {
  const results: unknown[] = []
  let waiting = looks.map((look, index) => ({ look, index, step: look.next([]) }))
  for (;;) {
    for (const { step, index } of waiting) if (step.done) results[index] = step.value
    waiting = waiting.filter(({ step }) => !step.done)
    if (waiting.length === 0) return results as Results<Looks>
    const wishes = waiting.map(({ step }) => (step.done ? [] : step.value))
    const outcomes = yield wishes.flat()
    let from = 0
    waiting = waiting.map(({ look, index }, position) => {
      const count = wishes[position]?.length ?? 0
      const own = outcomes.slice(from, from + count)
      from += count
      return { look, index, step: look.next(own) }
    })
  }
}

/** In the place of a look that is not needed. */
export function* nothing(): Look<undefined> {}
