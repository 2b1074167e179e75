import { invalid } from '../read/config-error.ts'
import { isRecord, parseData } from '../read/read-data.ts'

/**
 * Reads Markdown that may begin with settings: YAML between two lines `---`.
 *
 * @returns the settings, none where the text begins otherwise, and what follows, without space around it
 * @throws ConfigError `config_invalid` when the settings do not end, are no YAML or no object
 */
export async function splitSettings(
  text: string,
  file: string,
): Promise<{ settings: Record<string, unknown>; body: string }> {
  const lines = text.split(/\r?\n/)
  if (lines[0]?.trimEnd() !== '---') return { settings: {}, body: text.trim() }
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  if (end < 0) throw invalid(file, 'its settings do not end: a second line "---" is missing')
  const settings = (await parseData(lines.slice(1, end).join('\n'), file)) ?? {}
  if (!isRecord(settings)) throw invalid(file, 'its settings must be an object')
  return {
    settings,
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  }
}
