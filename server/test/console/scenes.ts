/** A model that plays what the console has to show: a team, a vote, a call that wants approval, a failure, a long stream. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin, type ModelPart, type ModelRequest, type Plugin, ProviderError, toText } from '@svc/core'
import type { Script, ScriptedAnswer } from '@svc/core/testing'
import { makeFolder } from '../fixtures/folder.ts'
import { type OpenOptions, type OpenServer, openServer } from '../fixtures/open-server.ts'

export interface SceneServer extends OpenServer {
  /** The workspace of the tools. */
  folder: string
}

/** Tasks, and the scenes that they set. */
export const SCENES = {
  team: 'Compare three ways to cache a web page and recommend one',
  vote: 'Is 97 a prime number?',
  approval: 'Write the release note to notes.md',
  change: 'Raise the price of hall lamps to 45',
  failure: 'Break down at once',
  slow: 'Tell a slow story',
  errand: 'Do a long errand',
} as const

export const TEAM = { topology: 'CENTRALIZED', tokenBudget: 40_000 } as const

const PRICES = 'lamp,price\nhall,40\nfloor,95\n'

const PARAGRAPH =
  'A cache in the browser costs nothing to run and serves the same person. A cache at the edge serves everyone near it. A cache in the process is the quickest, and the first to be wrong. '

/** What the model says to a request. */
export function answer({ messages, tools = [] }: ModelRequest): ScriptedAnswer {
  const said = messages.map(({ content }) => toText(content)).join('\n')
  const hasResult = messages.some(({ role }) => role === 'tool')
  if (said.includes(SCENES.failure))
    return {
      text: '',
      error: new ProviderError('provider_auth', 'the model server refused the key', { provider: 'scripted' }),
    }
  if (said.includes(SCENES.approval) && !hasResult && tools.some(({ id }) => id === 'write_file'))
    return {
      text: 'I will write the note.',
      toolCalls: [{ tool: 'write_file', args: { path: 'notes.md', content: '# Release\n\nThe console is here.\n' } }],
    }
  if (said.includes(SCENES.approval)) return 'The note is in notes.md.'
  if (said.includes(SCENES.change) && !hasResult && tools.some(({ id }) => id === 'write_file'))
    return { toolCalls: [{ tool: 'write_file', args: { path: 'prices.csv', content: PRICES.replace('40', '45') } }] }
  if (said.includes(SCENES.change)) return 'A hall lamp costs **45** now: `prices.csv`, line 2.'
  if (said.includes(SCENES.vote)) return { text: 'Yes: no number from 2 to 9 divides 97.', delayMs: 30 }
  if (said.includes('README') && !hasResult && tools.some(({ id }) => id === 'read_file'))
    return { toolCalls: [{ tool: 'read_file', args: { path: 'README.md' } }], delayMs: 40 }
  return { text: PARAGRAPH.repeat(2), delayMs: 60 }
}

/**
 * A model that looks at a file again and again, and says at the end what it heard meanwhile. Other tasks are answered as ever.
 *
 * @param mayGoOn what it waits for before each of its answers, by how often it has looked
 */
export const errand =
  (mayGoOn: (looks: number) => Promise<void>, looks = 2): Script =>
  async (request) => {
    const { messages, tools = [] } = request
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => toText(content))
    const asked = said.findLast((text) => !/^(?:The user says, while|Answer again)/.test(text)) ?? ''
    if (!asked.includes(SCENES.errand) || tools.length === 0) return answer(request)
    const looked = messages.filter(({ role }) => role === 'tool').length
    await mayGoOn(looked)
    if (looked < looks)
      return { text: `Look ${looked + 1}.`, toolCalls: [{ tool: 'read_file', args: { path: 'README.md' } }] }
    const told = said.flatMap((text) => /while you work:\n\n(.*)/.exec(text)?.[1] ?? [])
    return `The errand is done. I have heard: ${told.join(', ') || 'nothing'}.`
  }

/**
 * The model of slow stories, `slow/words`: some hundred words, one after the other.
 *
 * @param mayEnd what it waits for before its last word, so that a run is at work for as long as a test looks at it; default: an abort
 */
export const slowWords = (words = 400, mayEnd: () => Promise<void> = () => new Promise(() => {})) =>
  definePlugin('slow-words', ({ providers }) =>
    providers.add('slow', {
      id: 'slow',
      models: async () => [{ id: 'words' }],
      async *generate(_request, { signal }): AsyncGenerator<ModelPart> {
        for (let word = 1; word <= words; word++) {
          await new Promise((resolve) => setTimeout(resolve, 5))
          if (word === words) await Promise.race([mayEnd(), untilAborted(signal)])
          signal.throwIfAborted()
          yield { type: 'text', text: `word ${word} ` }
        }
        yield {
          type: 'finish',
          finishReason: 'stop',
          usage: { inputTokens: 50, outputTokens: words * 2, estimated: false },
        }
      },
    }),
  )()

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/** A file of the folder of `serve-scenes.ts`: once it is there, slow stories end. */
export const END_OF_STORIES = 'end-of-stories'

/** Opens a server on a folder of its own. @param stories the model of slow stories */
export async function openScenes({
  stories = slowWords(),
  ...options
}: OpenOptions & { stories?: Plugin } = {}): Promise<SceneServer> {
  const folder = makeFolder()
  writeFileSync(join(folder, 'README.md'), '# A shop\n\nIt sells lamps and has 12 rooms.\n')
  writeFileSync(join(folder, 'prices.csv'), PRICES)
  const opened = await openServer({
    script: answer,
    models: [{ id: 'scripted', tools: true, json: 'schema', context: 128_000, price: { input: 1, output: 4 } }],
    ...options,
    plugins: [stories, ...(options.plugins ?? [])],
    runtime: { workspace: folder, ...options.runtime },
  })
  return { ...opened, folder }
}
