import { editBursts } from '../../test-support/properties/edit-bursts.ts'
import { deep } from '../../test-support/property.ts'

// 500 bursts. A case has a minute, on a busy machine too.
deep(editBursts({ agents: 50, bursts: 5 }), 100)
