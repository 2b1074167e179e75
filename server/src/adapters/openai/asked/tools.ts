import type { ClientTool, JsonSchema } from '@svc/core'
import { objectOf, refuse, textOf } from '../../shared/fields.ts'
import { toForcedInstructions, toForcedSchema } from '../../shared/forced-tools.ts'

/** What a client offers, and what it wants called. */
export interface AskedTools {
  /** Offered beside svc's own. */
  clientTools: ClientTool[]
  /** The name of the one that has to be called. */
  forced: readonly string[]
  /** The shape of an answer that is its arguments. */
  schema?: JsonSchema
  /** What agents are to know of the choice. */
  instructions?: string
}

/** A tool of a request. Of responses the function stands in the tool itself. @throws ValidationError */
function readTool(tool: Readonly<Record<string, unknown>>, at: string): ClientTool {
  if (tool.type !== 'function')
    refuse(
      `${at}/type`,
      `must be "function": svc has tools of its own and offers no ${JSON.stringify(tool.type)?.slice(0, 100)}`,
    )
  const isNested = tool.function !== undefined
  const place = isNested ? `${at}/function` : at
  const { name, description, parameters } = isNested ? objectOf(tool.function, place) : tool
  return {
    name: textOf(name, `${place}/name`),
    ...(typeof description === 'string' && { description }),
    ...(parameters !== undefined && parameters !== null && { parameters: objectOf(parameters, `${place}/parameters`) }),
  }
}

const CALL_ONE = 'Call at least one of the tools whose names begin with "client." before you answer.'

const force = (tool: ClientTool): AskedTools => ({
  clientTools: [],
  forced: [tool.name],
  schema: toForcedSchema([tool]),
  instructions: toForcedInstructions([tool]),
})

/**
 * The tools of a request as its `tool_choice` means them.
 *
 * @param tools undefined where one is no function and was read by the caller
 * @throws ValidationError for tools of other types, and a choice of a tool that is not there
 */
export function readTools(tools: readonly unknown[], choice: unknown): AskedTools {
  const all = tools.flatMap((tool, index) =>
    tool === undefined ? [] : readTool(objectOf(tool, `/tools/${index}`), `/tools/${index}`),
  )
  const named = (name: unknown, path: string): ClientTool =>
    all.find((tool) => tool.name === name) ??
    refuse(path, `names no tool of tools: ${JSON.stringify(name)?.slice(0, 100)}`)
  const choose = (mode: unknown, from: ClientTool[], path: string): AskedTools => {
    if (mode === 'none') return { clientTools: [], forced: [] }
    if (mode === 'auto') return { clientTools: from, forced: [] }
    const [only, ...others] = from
    if (mode === 'required' && only === undefined) refuse(path, 'needs tools')
    if (mode === 'required' && only !== undefined)
      return others.length === 0 ? force(only) : { clientTools: from, forced: [], instructions: CALL_ONE }
    return refuse(path, 'must be "none", "auto", "required" or name a function')
  }
  if (choice === undefined || choice === null) return choose('auto', all, '/tool_choice')
  if (typeof choice === 'string') return choose(choice, all, '/tool_choice')
  const given = objectOf(choice, '/tool_choice')
  if (given.type === 'function') {
    const { name } = given.function === undefined ? given : objectOf(given.function, '/tool_choice/function')
    return force(named(name, '/tool_choice'))
  }
  if (given.type !== 'allowed_tools') refuse('/tool_choice/type', 'must be "function" or "allowed_tools"')
  const allowed =
    given.allowed_tools === undefined ? given : objectOf(given.allowed_tools, '/tool_choice/allowed_tools')
  if (!Array.isArray(allowed.tools)) return refuse('/tool_choice/tools', 'must be a list')
  const from = allowed.tools.map((tool, index) => {
    const path = `/tool_choice/tools/${index}`
    const one = objectOf(tool, path)
    return named((one.function === undefined ? one : objectOf(one.function, path)).name, path)
  })
  return choose(allowed.mode, [...new Set(from)], '/tool_choice/mode')
}
