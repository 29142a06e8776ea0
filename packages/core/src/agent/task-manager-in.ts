import type { TaskManager } from '../background/task-manager.ts'
import type { Application, ApplicationTasks } from '../memory/application.ts'

/** What runs the background tasks of an application: loaded, and made, when something first asks for it. */
export async function taskManagerIn(application: Application): Promise<TaskManager> {
  const { background } = application as { readonly background: ApplicationTasks }
  background.manager ??= import('./task-host.ts').then(({ taskManagerOf }) => taskManagerOf(application, background))
  return (await background.manager) as TaskManager
}
