import type { Runtime } from '@svc/core'

/** `@path` or `@"a path"`; what ends a sentence is none of it. */
const MENTION = /(?<!\S)@(?:"([^"\n]{1,1000})"|([^\s@"]{1,1000}))/g
const SENTENCE_END = /(?<![.,;:!?)\]}'"])[.,;:!?)\]}'"]+$/
/** The word before the cursor. */
const OPEN = /(?:^|\s)@("?)([^\s@"]{0,200})$/

const MOST_FILES = 20

/** Files of the workspace that a task names with `@`, as its runtime finds them; what is no file is a word like others. */
export async function mentionedFiles(runtime: Runtime, task: string): Promise<string[]> {
  if (runtime.files === undefined) return []
  const words = [...task.matchAll(MENTION)].map(([, quoted, word = '']) => quoted ?? word.replace(SENTENCE_END, ''))
  const found: string[] = []
  for (const word of new Set(words)) {
    const { data } = await runtime
      .files({ q: word.slice(0, 200), limit: MOST_FILES })
      .catch(() => ({ data: [] as string[] }))
    if (data.includes(word)) found.push(word)
  }
  return found
}

/** What completes `@…` before the cursor. */
export async function completeFile(runtime: Runtime, text: string, cursor: number) {
  const [, quote = '', word = ''] = OPEN.exec(text.slice(0, cursor)) ?? []
  if (runtime.files === undefined || !OPEN.test(text.slice(0, cursor))) return undefined
  const { data } = await runtime.files({ ...(word !== '' && { q: word }), limit: MOST_FILES })
  const choices = data.map((path) => ({ label: path, value: /[\s"]/.test(path) ? `@"${path}" ` : `@${path} ` }))
  return { from: cursor - word.length - quote.length - 1, choices }
}
