import { redact } from '@svc/core'
import { type ConfigVariable, configVariables } from '@svc/core/config'
import type { CommandContext } from '../../frame/context.ts'
import { renderTable } from '../../render/table.ts'

/** `svc config env`: which environment variables set something, and what do they say here? */
export default async function env(context: CommandContext): Promise<number> {
  const { variables } = await context.load()
  const { env: given } = context.io
  const all = [...configVariables().values()].map((variable) => {
    const { name, path, kind, meaning, default: usual } = variable
    const value = shownOf(variable, given[name] || variables[name])
    const file = given[`${name}_FILE`]
    return { name, path: path?.join('.'), kind, meaning, default: usual, value, ...(file && { file }) }
  })
  context.print(all, (columns) => {
    const rows = all.map(({ name, kind, value, default: usual, meaning }) => [
      name,
      kind,
      value ?? (usual === undefined ? '' : `(${JSON.stringify(usual)})`),
      meaning,
    ])
    const table = renderTable(['variable', 'kind', 'value', 'meaning'], rows, columns, { free: ['value'] })
    return `${table}\n\nA default stands in brackets. NAME_FILE names a file that holds the value; OPENAI_API_KEY_FILE and so on hold keys.`
  })
  return 0
}

/** What is set, as it may be shown. */
const shownOf = ({ name, path }: ConfigVariable, text: string | undefined): string | undefined =>
  text === undefined || text === '' ? undefined : String(redact(text, path?.at(-1) ?? name))
