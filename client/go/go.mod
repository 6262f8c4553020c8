module frontdesk.example/client

go 1.25
