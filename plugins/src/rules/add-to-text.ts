import type { PolicyRule } from '@svc/core'
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser'

/** A config as text with one rule more under `policy.rules`. All other lines, and comments, stay as they are. */
export const addToText = (text: string, isJson: boolean, rule: PolicyRule): string =>
  isJson ? addToJson(text.trim() === '' ? '{}\n' : text, rule) : addToYaml(text, rule)

function addToJson(text: string, rule: PolicyRule): string {
  const root = parseTree(text)
  const hasRules = root !== undefined && findNodeAtLocation(root, ['policy', 'rules'])?.type === 'array'
  const indent = /^[\t ]+(?=")/m.exec(text)?.[0] ?? '  '
  const formattingOptions = { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: '\n' }
  const edits = hasRules
    ? modify(text, ['policy', 'rules', -1], rule, { isArrayInsertion: true, formattingOptions })
    : modify(text, ['policy', 'rules'], [rule], { formattingOptions })
  return applyEdits(text, edits)
}

/** Lines of YAML: the rule as a flow mapping, before the first of the others. */
function addToYaml(text: string, rule: PolicyRule): string {
  const item = `- ${JSON.stringify(rule, undefined, 1).replace(/\n */g, ' ')}`
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const at = lines.findIndex((line) => isKey(line, 'policy'))
  if (at < 0) return `${[...lines, 'policy:', '  rules:', `    ${item}`].join('\n')}\n`
  const end = lines.findIndex((line, index) => index > at && /^[^\s#]/.test(line))
  const inside = lines.slice(at + 1, end < 0 ? undefined : end)
  const rules = inside.findIndex((line) => isKey(line.trimStart(), 'rules'))
  const indent = indentOf(inside.find((line) => /^\s+[^\s#]/.test(line)) ?? '  ')
  const first = rules < 0 ? undefined : inside.slice(rules + 1).find((line) => /^\s*-/.test(line))
  const added = rules < 0 ? [`${indent}rules:`, `${indent}  ${item}`] : [`${indentOf(first ?? `${indent}  -`)}${item}`]
  const place = at + 1 + (rules < 0 ? 0 : rules + 1)
  return `${[...lines.slice(0, place), ...added, ...lines.slice(place)].join('\n')}\n`
}

const isKey = (line: string, name: string): boolean =>
  line.startsWith(`${name}:`) && /^\s*(?:#.*)?$/.test(line.slice(name.length + 1))

const indentOf = (line: string): string => /^\s*/.exec(line)?.[0] ?? ''
