import { escapeHtml } from '../escape-html.ts'

/** One drawing with the words for those who cannot see it. Units are those of a narrow screen's pixels. */
export interface Drawing {
  /** Letters and digits: unique in the page. */
  id: string
  title: string
  /** What a reader takes from it. */
  description: string
  width: number
  height: number
  shapes: readonly string[]
  isSmall?: boolean
}

export function toSvg({ id, title, description, width, height, shapes, isSmall = false }: Drawing): string {
  return `<svg${isSmall ? ' class="small"' : ''} viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${escapeHtml(title)}</title><desc id="${id}-d">${escapeHtml(description)}</desc>
${shapes.join('\n')}
</svg>`
}

export interface LabelOptions {
  anchor?: 'start' | 'middle' | 'end'
  kind?: string
  /** Characters; what is longer is cut. */
  longest?: number
}

export function label(x: number, y: number, text: string, options: LabelOptions = {}): string {
  const { anchor = 'start', kind = '', longest = 60 } = options
  const shown = text.length > longest ? `${text.slice(0, longest - 1)}…` : text
  return `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}" class="${kind}">${escapeHtml(shown)}</text>`
}

export const line = (x1: number, y1: number, x2: number, y2: number, kind: string): string =>
  `<line x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}" class="${kind}"/>`

export const box = (x: number, y: number, width: number, height: number, kind: string): string =>
  `<rect x="${at(x)}" y="${at(y)}" width="${at(width)}" height="${at(height)}" class="${kind}"/>`

export const dot = (x: number, y: number, radius: number, kind: string): string =>
  `<circle cx="${at(x)}" cy="${at(y)}" r="${radius}" class="${kind}"/>`

export const path = (points: readonly (readonly [number, number])[], kind: string): string =>
  `<polyline points="${points.map(([x, y]) => `${at(x)},${at(y)}`).join(' ')}" class="${kind}"/>`

const at = (value: number): string => String(Math.round(value * 10) / 10)

/** From values to places. */
export const scale =
  (from: readonly [number, number], to: readonly [number, number]) =>
  (value: number): number =>
    to[0] + ((value - from[0]) / (from[1] - from[0] || 1)) * (to[1] - to[0])

/** Round values from low to high, about as many as wished. */
export function ticks(low: number, high: number, wished = 5): number[] {
  const rough = (high - low) / wished || 1
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10)
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
}
