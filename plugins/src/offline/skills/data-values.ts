import { toStem, toWords } from '@svc/core/text'
import { at, atLines } from '../cite.ts'
import { lead, note, type Part } from '../claim.ts'
import { type Question, withoutFile } from '../question.ts'
import type { DataNode } from '../read/node.ts'
import type { Finding } from '../skill.ts'
import { plural, tick } from '../wording.ts'

/** The values whose keys the question names, deepest match first. */
export function answerFromKeys(question: Question, path: string, nodes: readonly DataNode[]): Finding {
  const asked = new Set([
    ...toWords(withoutFile(question, path)).map(toStem),
    ...question.identifiers.flatMap((name) => name.split('.')).map((name) => toStem(name.toLowerCase())),
  ])
  const dotted = [...question.text.matchAll(/(?<![\w$-])[\w$-]+(?:\.[\w$-]+)+/g)].map((match) => match[0])
  const exact = nodes.filter((node) => node.path.length > 0 && dotted.includes(node.path.join('.')))
  const scored = nodes
    .filter((node) => node.path.length > 0 && typeof node.path.at(-1) === 'string')
    .map((node) => {
      const stems = node.path
        .filter((key) => typeof key === 'string')
        .map((key) => toWords(String(key).replace(/([a-z\d])([A-Z])/g, '$1 $2')).map(toStem))
      const last = stems.at(-1) ?? []
      const isNamed = last.length > 0 && last.every((stem) => asked.has(stem))
      return {
        node,
        score: isNamed ? stems.flat().filter((stem) => asked.has(stem)).length / (1 + 0.1 * stems.length) : 0,
      }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.node.path.length - b.node.path.length || a.node.line - b.node.line)
  const best = scored[0]?.score ?? 0
  const chosen = exact.length > 0 ? exact : scored.filter(({ score }) => score === best).map(({ node }) => node)
  const parts = chosen.slice(0, 10).map((node) => describeValue(path, node, nodes))
  const first = chosen[0]
  return {
    parts,
    facts:
      first?.type === 'leaf'
        ? { value: first.value, answer: first.value, [String(first.path.at(-1))]: first.value }
        : {},
    answered: parts.length > 0,
  }
}

function describeValue(path: string, node: DataNode, nodes: readonly DataNode[]): Part {
  const name = tick(String(node.path.at(-1)))
  const parents = node.path.slice(0, -1).filter((key) => typeof key === 'string')
  const above = nodes.filter(
    (other) =>
      other.path.length < node.path.length &&
      other.path.length > 0 &&
      typeof other.path.at(-1) === 'string' &&
      other.path.every((key, index) => key === node.path[index]),
  )
  const within = parents.length > 0 ? ` in ${parents.map((key) => tick(String(key))).join(' → ')}` : ''
  const cites = [
    ...above.map((other) => at(path, other.line)),
    at(path, node.line, node.type === 'leaf' ? node.line : node.end),
  ]
  if (node.type === 'leaf') return lead(`${name}${within} is ${tick(String(node.value))}`, cites)
  const inside = nodes.filter(
    (other) => other.path.length === node.path.length + 1 && node.path.every((key, index) => other.path[index] === key),
  )
  const items = inside
    .slice(0, 30)
    .map((other) =>
      node.type === 'array'
        ? other.type === 'leaf'
          ? tick(String(other.value))
          : '{…}'
        : `${tick(String(other.path.at(-1)))}${other.type === 'leaf' ? ` ${tick(String(other.value), 60)}` : ''}`,
    )
  return lead(
    `${name}${within} has ${plural(inside.length, node.type === 'array' ? 'item' : 'key')}: ${items.join(', ')}`,
    cites,
    [inside.length],
  )
}

/** The keys at the top of a file that says nothing to the question. */
export function describeKeys(path: string, nodes: readonly DataNode[]): Finding {
  const keys = nodes.filter((node) => node.path.length === 1)
  if (keys.length === 0) return { parts: [note(`I found nothing about the question in \`${path}\`.`)], answered: false }
  return {
    parts: [
      lead(
        `${tick(path)} has ${plural(keys.length, 'key')} at its top: ${keys
          .slice(0, 30)
          .map((node) => tick(String(node.path[0])))
          .join(', ')}`,
        atLines(
          path,
          keys.slice(0, 30).map((node) => node.line),
        ),
        [keys.length],
      ),
    ],
    answered: false,
  }
}
