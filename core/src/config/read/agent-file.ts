import { invalid } from './config-error.ts'
import { isRecord, parseData } from './read-data.ts'

/**
 * Reads an agent from Markdown: settings in YAML between two lines `---` at the top, then the instructions.
 *
 * @returns the agent's fields, unchecked
 * @throws ConfigError `config_invalid` when the settings do not end or are no object
 */
export async function parseAgentFile(text: string, file: string): Promise<Record<string, unknown>> {
  const lines = text.split(/\r?\n/)
  if (lines[0]?.trimEnd() !== '---') return withInstructions({}, text)
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  if (end < 0) throw invalid(file, 'its settings do not end: a second line "---" is missing')
  const settings = (await parseData(lines.slice(1, end).join('\n'), file)) ?? {}
  if (!isRecord(settings)) throw invalid(file, 'its settings must be an object')
  return withInstructions(settings, lines.slice(end + 1).join('\n'))
}

function withInstructions(settings: Record<string, unknown>, body: string): Record<string, unknown> {
  const instructions = body.trim()
  return instructions === '' ? settings : { instructions, ...settings }
}
