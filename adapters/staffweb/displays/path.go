package displays

import "frontdesk/commands"

// LinkPath is where a screen opens the link that was made for it.
func LinkPath(tenant string, link commands.DisplayLink) string {
	return "/" + tenant + "/staff/displays/link/" + link.Display.String() + "/" + link.Secret
}
