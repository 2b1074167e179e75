import type { ModelAnswer } from '../../../contracts/model/model.ts'
import type { ModelCall } from './model-call.ts'

/** What a layer does when a call comes back out of it. */
export interface Exit {
  /** The layer answers itself: the call goes no further in. */
  answer?: ModelAnswer
  onAnswer?(answer: ModelAnswer): void | Promise<void>
  /** @returns another answer, which goes out in place of this one */
  change?(answer: ModelAnswer): ModelAnswer | Promise<ModelAnswer>
  onFailure?(thrown: unknown): void | Promise<void>
  /**
   * @returns whether the call goes in again, to the layer inside this one
   * @throws another failure, which goes out in place of this one
   */
  again?(thrown: unknown): Promise<boolean>
}

/** One concern of a model call: works on its way in, and returns what is to be done on its way out. */
export type Layer = (call: ModelCall) => Exit | Promise<Exit>

/**
 * Sends a call through layers, the outermost first, until one answers; then back out through those that it came through.
 *
 * @throws what a layer threw, where none outside of it goes in again
 */
export async function passThrough(layers: readonly Layer[], call: ModelCall): Promise<ModelAnswer> {
  const exits: Exit[] = []
  for (;;) {
    try {
      let answer: ModelAnswer | undefined
      while (answer === undefined) {
        const exit: Exit = (await layers[exits.length]?.(call)) ?? {}
        exits.push(exit)
        answer = exit.answer
      }
      for (let exit = exits.pop(); exit !== undefined; exit = exits.pop()) {
        if (exit.onAnswer !== undefined) await exit.onAnswer(answer)
        if (exit.change !== undefined) answer = await exit.change(answer)
      }
      return answer
    } catch (thrown) {
      await goOut(exits, thrown)
    }
  }
}

/** Resolves at the first layer that goes in again; its exit stays the last. */
async function goOut(exits: Exit[], failed: unknown): Promise<void> {
  let thrown = failed
  for (let exit = exits.pop(); exit !== undefined; exit = exits.pop()) {
    try {
      await exit.onFailure?.(thrown)
      if ((await exit.again?.(thrown)) !== true) continue
      exits.push(exit)
      return
    } catch (other) {
      thrown = other
    }
  }
  throw thrown
}
