/** A conversation in the console, as tests use it. */
import type { Locator, Page } from 'playwright-core'

/** Where the next message is written. */
export const field = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true })

/** The turn that a task began. */
export const turn = (page: Page, task: string): Locator => page.getByRole('article', { name: task })

/** Sends a message, and waits until it stands there. */
export async function say(page: Page, task: string): Promise<void> {
  await field(page).fill(task)
  await field(page).press('Enter')
  await turn(page, task).first().waitFor()
}
