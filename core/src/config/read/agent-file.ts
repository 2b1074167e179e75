import { splitSettings } from '../guidance/front-matter.ts'

/**
 * Reads an agent from Markdown: settings in YAML between two lines `---` at the top, then the instructions.
 *
 * @returns the agent's fields, unchecked
 * @throws ConfigError `config_invalid` when the settings do not end or are no object
 */
export async function parseAgentFile(text: string, file: string): Promise<Record<string, unknown>> {
  const { settings, body } = await splitSettings(text, file)
  return body === '' ? settings : { instructions: body, ...settings }
}
