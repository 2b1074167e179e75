/** Where lists were left, by their names; a list is shown there again when one comes back to it by the browser's buttons. */
const places = new Map<string, number>()

let isBack = false
// Before the router hears of it: views are drawn by then.
addEventListener('popstate', () => (isBack = true), true)
addEventListener('click', () => (isBack = false), true)

/** How far down a list was left, in pixels; undefined where one has not come back to it. */
export const leftAt = (name: string | undefined): number | undefined =>
  isBack && name !== undefined ? places.get(name) : undefined

export function leave(name: string | undefined, top: number): void {
  if (name !== undefined) places.set(name, top)
}
