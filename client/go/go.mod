module frontdesk/client

go 1.25
