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
