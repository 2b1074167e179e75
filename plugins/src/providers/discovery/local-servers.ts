import { asText, toList, toRecord } from '../format/json.ts'

/** A model server on this machine that nobody configured. */
export interface LocalServer {
  readonly name: string
  /** Where its models answer in OpenAI's format. */
  readonly baseUrl: string
  readonly models: readonly string[]
  /** What makes svc use it. */
  readonly use: string
}

/** What runs a model at home, and the port that it listens on where nobody chose another. */
const USUAL = [
  { name: 'Ollama', port: 11_434, use: '--provider ollama' },
  { name: 'LM Studio', port: 1234, use: '--provider lmstudio' },
  { name: 'llama.cpp', port: 8080, use: 'SVC_MODEL_BASE_URL=http://127.0.0.1:8080/v1' },
] as const

/**
 * Looks for model servers on their usual ports of 127.0.0.1: one request each, at once. Nothing is sent but the question
 * for its models.
 *
 * @param mostWaitMs how long a server may take to answer; one that takes longer is taken for none
 */
export async function findLocalServers(
  usual: readonly { name: string; port: number; use: string }[] = USUAL,
  mostWaitMs = 150,
): Promise<LocalServer[]> {
  const found = await Promise.all(
    usual.map(async ({ name, port, use }): Promise<LocalServer | undefined> => {
      const baseUrl = `http://127.0.0.1:${port}/v1`
      const models = await listModels(baseUrl, mostWaitMs)
      return models === undefined ? undefined : { name, baseUrl, models, use }
    }),
  )
  return found.filter((each) => each !== undefined)
}

/** Undefined where nothing there lists models. */
async function listModels(baseUrl: string, mostWaitMs: number): Promise<string[] | undefined> {
  try {
    const signal = AbortSignal.timeout(mostWaitMs)
    const response = await fetch(`${baseUrl}/models`, { signal, redirect: 'error' })
    const { data } = toRecord(await response.json())
    if (!response.ok || !Array.isArray(data)) return undefined
    return toList(data)
      .map((model) => asText(toRecord(model).id))
      .filter((id) => id !== '')
  } catch {
    return undefined
  }
}

/** `Ollama answers at http://… with llama3.2 and 3 more; use it with --provider ollama`. */
export function describeLocalServer({ name, baseUrl, models, use }: LocalServer): string {
  const [first, ...more] = models
  const has = first === undefined ? 'no model yet' : `${first}${more.length > 0 ? ` and ${more.length} more` : ''}`
  return `${name} answers at ${baseUrl} with ${has}; svc uses it with ${use}`
}
