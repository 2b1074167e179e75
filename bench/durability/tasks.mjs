/** The runs that the benches of durability make, and the model that answers them. */
import { definePlugin } from '@svc/core'
import { scriptedProvider, sequentialPlan } from '@svc/core/testing'

const WORDS =
  'the run of a store that holds what was said and done by each agent at every step until it ends in time for all who wait on one more page from another source which nobody has read before now'.split(
    ' ',
  )

let said = 0

/** What the model says at a step: some 160 characters, never the same twice, as hard to compress as prose. */
export function newAnswer() {
  let state = ++said
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return `${WORDS[(state >>> 8) % WORDS.length]}${state % 5 === 0 ? state >>> 20 : ''}`
  }
  return Array.from({ length: 32 }, next).join(' ')
}

/** What a runtime needs to answer by itself, without a network. */
export const CONFIG = {
  model: 'scripted/scripted',
  // More than that is an administrator's to ask for over HTTP.
  tokenBudget: 100_000_000,
  components: { consensus: false, reflect: false, memory: false },
}

/**
 * A model that answers at once.
 *
 * @param onCall called at each call; the answer waits for what it promises
 */
export const scriptedModel = (onCall = () => {}) =>
  definePlugin('scripted-model', ({ providers }) => {
    const provider = scriptedProvider('scripted', () => {
      provider.requests.length = 0 // what it keeps for tests would be counted as the memory of runs
      const called = onCall()
      const answer = { text: newAnswer() }
      return called instanceof Promise ? called.then(() => answer) : answer
    })
    providers.add('scripted', provider)
  })()

/** Steps that follow each other. */
export const newTask = (name, steps) => ({
  task: `Count for ${name}`,
  tokenBudget: 10_000_000,
  plan: sequentialPlan(Array.from({ length: steps }, (_, index) => `Ask ${name} for step-${index + 1}`)),
})

/** Makes a run and waits for its end. @throws when it does not complete */
export async function wholeRun({ runs }, create) {
  const { id } = await runs.create(create, { deltas: false })
  const { status, error } = await runs.wait(id)
  if (status !== 'completed') throw new Error(`the run ended ${status}: ${error?.message}`)
  return id
}

/** Does some work so often, so many at once. */
export async function repeat(count, atOnce, work) {
  let left = count
  const one = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}
